/**
 * Operations on sessions in Redis. Each is one script, so that it is atomic. They use the clock of Redis, since those of the servers may
 * differ.
 *
 * `KEYS[1]` is a session, a hash, and the prefix of its further keys: `:streams` is a sorted set of its streams by the number of their
 * last message; `:sizes` is a hash of the size of each stream and, under an empty name, of all; `:stream:<name>` is one stream; `:notes`
 * is the stream of kept notes. A note is a published event of the session; those of its client, responses to questions and cancellations,
 * are kept. One counter numbers messages and notes. `KEYS[2]` is the sorted set of all sessions by their last request.
 *
 * @module
 */

/** Time of Redis in milliseconds. */
const NOW = `
  local time = redis.call("TIME")
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** Deletes a session, and publishes that it has ended. */
const DELETE_SESSION = `
  local function deleteSession(session)
    for _, name in ipairs(redis.call("ZRANGE", session .. ":streams", 0, -1)) do
      redis.call("UNLINK", session .. ":stream:" .. name)
    end
    redis.call("UNLINK", session, session .. ":streams", session .. ":sizes", session .. ":notes")
    redis.call("PUBLISH", session, '0 {"kind":"ended"}')
  end`;

/** Updates the time of the last request. Arguments: id, time to live. */
const TOUCH = `
  local function touch()
    redis.call("PEXPIRE", KEYS[1], ARGV[2])
    redis.call("ZADD", KEYS[2], string.format("%.0f", now), ARGV[1])
    redis.call("PEXPIRE", KEYS[2], ARGV[2])
  end`;

/**
 * Stores a session, and deletes the least recently used ones above the maximum. Returns 0 if a session other than the expected one is stored.
 * Arguments: id, time to live, session, expected session (or an empty text), maximum number of sessions, prefix of their keys.
 */
export const PUT: string = `${NOW}${DELETE_SESSION}${TOUCH}
  local stored = redis.call("HGET", KEYS[1], "session")
  if ARGV[4] ~= "" and stored ~= ARGV[4] then return 0 end
  redis.call("HSET", KEYS[1], "session", ARGV[3])
  touch()
  if stored then return 1 end
  redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", string.format("%.0f", now - ARGV[2]))
  while redis.call("ZCARD", KEYS[2]) > tonumber(ARGV[5]) do
    deleteSession(ARGV[6] .. redis.call("ZPOPMIN", KEYS[2])[1])
  end
  return 1`;

/** Reads a session, and prolongs it. Arguments: id, time to live. Returns the session and its last number; nothing if there is no session. */
export const GET: string = `${NOW}${TOUCH}
  local stored = redis.call("HMGET", KEYS[1], "session", "number")
  if not stored[1] then return false end
  touch()
  return { stored[1], stored[2] or "0" }`;

/** Deletes a session with its streams and notes, and publishes that it has ended. Argument: id. */
export const DELETE: string = `${DELETE_SESSION}
  deleteSession(KEYS[1])
  redis.call("ZREM", KEYS[2], ARGV[1])`;

/**
 * Appends a message to a stream, and publishes a note about it. Returns 0 if there is no session.
 * Arguments: stream, message, "1" for the last one, nonce, time to live, maximum numbers of messages and of streams, maximum size of
 * all streams, note to publish. A message with the nonce of the newest one is not appended again. If there are too many streams, ended
 * ones are deleted, the one with the oldest last message first.
 */
export const APPEND: string = `
  if redis.call("HEXISTS", KEYS[1], "session") == 0 then return 0 end
  local name, ttl = ARGV[1], ARGV[5]
  local streams, sizes = KEYS[1] .. ":streams", KEYS[1] .. ":sizes"
  local function keyOf(stream) return KEYS[1] .. ":stream:" .. stream end
  local function newest(stream) return redis.call("XREVRANGE", keyOf(stream), "+", "-", "COUNT", 1)[1] end
  local last = newest(name)
  if last and last[2][6] == ARGV[4] then return 1 end
  local number = redis.call("HINCRBY", KEYS[1], "number", 1)
  redis.call("XADD", keyOf(name), number .. "-0", "json", ARGV[2], "last", ARGV[3], "nonce", ARGV[4])
  local grown = #ARGV[2]
  if redis.call("XLEN", keyOf(name)) > tonumber(ARGV[6]) then
    local first = redis.call("XRANGE", keyOf(name), "-", "+", "COUNT", 1)[1]
    redis.call("XDEL", keyOf(name), first[1])
    grown = grown - #first[2][2]
  end
  redis.call("HINCRBY", sizes, name, grown)
  local total = redis.call("HINCRBY", sizes, "", grown)
  redis.call("ZADD", streams, number, name)
  local count, most, room = redis.call("ZCARD", streams), tonumber(ARGV[7]), tonumber(ARGV[8])
  if count > most or total > room then
    for _, oldest in ipairs(redis.call("ZRANGE", streams, 0, -2)) do
      if count <= most and total <= room then break end
      local ending = newest(oldest)
      if not ending or ending[2][4] == "1" then
        total = redis.call("HINCRBY", sizes, "", -(redis.call("HGET", sizes, oldest) or 0))
        redis.call("HDEL", sizes, oldest)
        redis.call("ZREM", streams, oldest)
        redis.call("UNLINK", keyOf(oldest))
        count = count - 1
      end
    end
  end
  for _, key in ipairs({ keyOf(name), streams, sizes }) do redis.call("PEXPIRE", key, ttl) end
  redis.call("PUBLISH", KEYS[1], number .. " " .. ARGV[9])
  return 1`;

/**
 * Arguments: stream, number. Deletes the messages up to this number except for the newest one, whose nonce identifies a repeated append.
 */
export const DROP: string = `
  local key, sizes = KEYS[1] .. ":stream:" .. ARGV[1], KEYS[1] .. ":sizes"
  local newest = redis.call("XREVRANGE", key, "+", "-", "COUNT", 1)[1]
  for _, entry in ipairs(redis.call("XRANGE", key, "-", ARGV[2] .. "-0")) do
    if entry[1] ~= newest[1] then
      redis.call("XDEL", key, entry[1])
      redis.call("HINCRBY", sizes, ARGV[1], -#entry[2][2])
      redis.call("HINCRBY", sizes, "", -#entry[2][2])
    end
  end`;

/** Keeps and publishes a note; returns 0 if there is no session. Arguments: note, time to live, maximum number and maximum total size of notes. */
export const NOTE: string = `
  if redis.call("HEXISTS", KEYS[1], "session") == 0 then return 0 end
  local notes = KEYS[1] .. ":notes"
  local number = redis.call("HINCRBY", KEYS[1], "number", 1)
  redis.call("XADD", notes, number .. "-0", "json", ARGV[1])
  local count = redis.call("XLEN", notes)
  if count == 1 then redis.call("HSET", KEYS[1], "noted", 0) end
  local noted = redis.call("HINCRBY", KEYS[1], "noted", #ARGV[1])
  while count > 1 and (count > tonumber(ARGV[3]) or noted > tonumber(ARGV[4])) do
    local first = redis.call("XRANGE", notes, "-", "+", "COUNT", 1)[1]
    redis.call("XDEL", notes, first[1])
    noted = redis.call("HINCRBY", KEYS[1], "noted", -#first[2][2])
    count = count - 1
  end
  redis.call("PEXPIRE", notes, ARGV[2])
  redis.call("PUBLISH", KEYS[1], number .. " " .. ARGV[1])
  return 1`;

/** Reads what came after a number, the argument. Returns the last number, the names of streams with later messages, and the later notes. */
export const READ_BACKLOG: string = `
  if redis.call("HEXISTS", KEYS[1], "session") == 0 then return false end
  return {
    redis.call("HGET", KEYS[1], "number") or "0",
    redis.call("ZRANGEBYSCORE", KEYS[1] .. ":streams", "(" .. ARGV[1], "+inf"),
    redis.call("XRANGE", KEYS[1] .. ":notes", (ARGV[1] + 1) .. "-0", "+"),
  }`;
