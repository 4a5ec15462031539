/** Skills, one of them with folders. */
import type { SkillSource } from "jsr:@toolwire/toolwire/skills";

const refund = `---
name: issue-refund
description: How to refund a customer. Use it for requests to return money.
license: MIT
metadata:
  team: support
---

# Refunds

1. Look at the order.
2. Fill in [the form](references/FORMS.md).
`;

const greet = `---
name: greet-customer
description: How to greet a customer. Use it in the first answer.
---

# Greeting

Say hello, and the name of the customer.
`;

/** The skills that the server lists. */
export const skillSources: readonly SkillSource[] = [
  {
    path: "support/issue-refund",
    files: {
      "SKILL.md": refund,
      "references/FORMS.md": "# Form\n\nOrder, amount, reason.\n",
      "scripts/sum.py": "print(sum([1, 2]))\n",
    },
  },
  { path: "support/greet-customer", files: { "SKILL.md": greet } },
];
