import type { TokenClaims, TokenKind } from "../../../src/core/token/token.ts";

/** A token, and what it says. */
export interface TokenVector extends TokenClaims {
  readonly kind: TokenKind;
  /** The nonce of a sealed token. */
  readonly nonceHex?: string;
  readonly token: string;
}

/** The key of all vectors. */
export const VECTOR_KEY = "k1:this-secret-is-public-never-sign-with-it";

/** Those of examples/tokens/vectors.json, for runtimes that read no files. */
export const vectors: readonly TokenVector[] = [
  {
    "kind": "promise",
    "id": "0192f0e8-7b1c-7d3e-8a4f-1234567890ab",
    "expSeconds": 2000000000,
    "tool": "",
    "principal": "",
    "token": "prom_AQJrMQEAdzWUAAGS8Oh7HH0-ik8SNFZ4kKtbIiJdnsRcXOFhmXrUnMxFPY-FM-pAFYJ4zK4KZwg7AmJNjlQ",
  },
  {
    "kind": "promise",
    "id": "0192f0e8-7b1c-7d3e-8a4f-1234567890ab",
    "expSeconds": 2000000000,
    "tool": "render_video",
    "principal": "",
    "data": {
      "job": "abc",
    },
    "token":
      "prom_AQJrMQEAdzWUAAGS8Oh7HH0-ik8SNFZ4kKtbInJlbmRlcl92aWRlbyIseyJqb2IiOiJhYmMifV3gzd3GLsx904Bna31kGBe8JU8aCyey_1CS9q8OarBYHg",
  },
  {
    "kind": "promise",
    "id": "0192f0e8-7b1c-7d3e-8a4f-1234567890ab",
    "expSeconds": 2000000000,
    "tool": "analyze_dataset",
    "principal": "ada@example.org",
    "token":
      "prom_AQJrMQEAdzWUAAGS8Oh7HH0-ik8SNFZ4kKtbImFuYWx5emVfZGF0YXNldCJdUjzW38valTpha2P4iLQ9UA4ULK5gHbJVadswueJv7Yw",
  },
  {
    "kind": "continuation",
    "id": "0192f0e8-7b1c-7d3e-8a4f-1234567890ab",
    "expSeconds": 2000000000,
    "tool": "delete_record",
    "principal": 'Zoë "Z"\n',
    "data": {
      "answers": [
        "é",
        null,
        1.5,
      ],
    },
    "token":
      "cont_AQJrMQIAdzWUAAGS8Oh7HH0-ik8SNFZ4kKtbImRlbGV0ZV9yZWNvcmQiLHsiYW5zd2VycyI6WyLDqSIsbnVsbCwxLjVdfV19DGabqwujdbBHHHaIJSYPO2p2ug0ofoqg3EqZEYmDrw",
  },
  {
    "kind": "context",
    "id": "ffffffff-ffff-4fff-bfff-ffffffffffff",
    "expSeconds": 1099511627775,
    "tool": "",
    "principal": "",
    "data": null,
    "token": "ctx_AQJrMQP______________0__v_________9bIiIsbnVsbF0qeqzJel_7KqL0Ec5twrxJrWzBVF7wajgxQAoyfuJuAA",
  },
  {
    "kind": "promise",
    "id": "0192f0e8-7b1c-7d3e-8a4f-1234567890ab",
    "expSeconds": 2000000000,
    "tool": "render_video",
    "principal": "ada@example.org",
    "data": {
      "job": "abc",
    },
    "nonceHex": "000102030405060708090a0b",
    "token":
      "prom_AgJrMQEAdzWUAAGS8Oh7HH0-ik8SNFZ4kKsAAQIDBAUGBwgJCgvrNXPtI36eoZ0A_Akx0wj49Whu6ipkDfkDa0rUsghHvzLLK2X70jEolcXS_ukF",
  },
];
