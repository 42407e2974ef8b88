-- Shows Lintel's frames and messages (doc/wire_format.md) in captures of its TCP traffic.
--
--   tshark -X lua_script:tools/wireshark/lintel.lua -r capture.pcapng
--   Wireshark: copy or link this file into "Personal Lua Plugins" (Help, About, Folders).
-- Not as root: Wireshark 4.4 loads no script then.
--
-- Three protocols:
--   lintel_direct   the stream of the provider `direct`: finds its greetings, messages, writes,
--                   placed messages and acknowledgements;
--   xnet            the framing of libfabric's TCP providers (`net`; `tcp` from 1.18 on; below
--                   `tcp;ofi_rxm` too): finds the messages in the stream;
--   lintel          the session frame inside, its engine messages, and the remote writes of large
--                   transfers.
--
-- A connection of `direct` is recognised by its greeting. If the capture begins later, it is
-- recognised from the first segment that begins with a message with the frame's magic. A connection
-- of libfabric is always recognised so. What comes before that segment (with libfabric its own
-- handshake) stays plain TCP.
-- If a port belongs to another dissector, put ours first, by one of
--   -d tcp.port==<port>,lintel_direct   ("Decode As"; from any segment on that begins with a
--                                       piece, also a write)
--   -d tcp.port==<port>,xnet            (likewise; shows the handshake too)
--   -o tcp.try_heuristic_first:TRUE
-- In the middle of a write or a message nothing can be recognised. Such a segment is shown as
-- "not the start" of one, and the next segment is tried.
--
-- Every field can be filtered by: lintel.kind == 1, lintel.match_bits == 0x10,
-- lintel.initiator.nid == 10.0.0.1. lintel.immediate is in the CLEAR, or in the GET that carries
-- it, and in the writes that belong to it. Limits: rendezvous and segmented messages of ofi_rxm are
-- shown as bytes, and a single write of 2 GiB or more ends the decoding of its direction.

local lintel = Proto("lintel", "Lintel")
local direct = Proto("lintel_direct", "Lintel TCP stream")
local xnet = Proto("xnet", "libfabric TCP messages")

local MAGIC = 0x4c54
local NO_DESCRIPTOR = 0xffffffff

local FRAME_KINDS = {
  [1] = "HELLO", [2] = "WELCOME", [3] = "REFUSE", [4] = "DATA", [5] = "ACK", [6] = "PING",
  [7] = "GOODBYE", [8] = "CONFIRM",
}
local REFUSE_REASONS = {
  [1] = "no common version", [2] = "another provider", [3] = "the peer has no job secret",
  [4] = "only the peer has a job secret", [5] = "another job secret",
}
local PROVED_BY_SECRET, PROVED_BY_CONTACT = 0x01, 0x02
local MESSAGE_KINDS = {
  [1] = "PUT", [2] = "ACK", [3] = "GET", [4] = "REPLY", [5] = "GETPUT", [6] = "ATOMIC",
  [7] = "FETCH_ATOMIC", [8] = "SWAP", [16] = "CLEAR", [17] = "WRITTEN", [18] = "DISCARD",
}
local FAILURES = {
  [4] = "dropped", [5] = "portal disabled", [6] = "permission violation",
  [7] = "operation violation", [8] = "no such interface", [9] = "memory not accessible",
}
local LISTS = { [0] = "priority", [1] = "overflow" }
local OPERATIONS_OF_ATOMICS = {
  [0] = "MIN", [1] = "MAX", [2] = "SUM", [3] = "PROD", [4] = "LOR", [5] = "LAND", [6] = "BOR",
  [7] = "BAND", [8] = "LXOR", [9] = "BXOR", [10] = "SWAP", [11] = "CSWAP", [12] = "CSWAP_NE",
  [13] = "CSWAP_LE", [14] = "CSWAP_LT", [15] = "CSWAP_GE", [16] = "CSWAP_GT", [17] = "MSWAP",
}
local DATATYPES = {
  [0] = "INT8", [1] = "UINT8", [2] = "INT16", [3] = "UINT16", [4] = "INT32", [5] = "UINT32",
  [6] = "FLOAT", [7] = "INT64", [8] = "UINT64", [9] = "DOUBLE", [10] = "FLOAT_COMPLEX",
  [11] = "DOUBLE_COMPLEX", [12] = "LONG_DOUBLE", [13] = "LONG_DOUBLE_COMPLEX",
}
local FLAG_ACK_WANTED, FLAG_ANNOUNCED, FLAG_TRACKED, FLAG_MORE, FLAG_CLEARED =
  0x01, 0x02, 0x04, 0x08, 0x10

-- Fields ------------------------------------------------------------------------------------------

local f = {
  frame_magic = ProtoField.uint16("lintel.frame.magic", "Magic", base.HEX),
  frame_version = ProtoField.uint8("lintel.frame.version", "Version"),
  frame_kind = ProtoField.uint8("lintel.frame.kind", "Frame", base.DEC, FRAME_KINDS),
  receiver_slot = ProtoField.uint32("lintel.frame.receiver_slot", "Receiver's slot"),
  receiver_epoch = ProtoField.uint32("lintel.frame.receiver_epoch", "Receiver's epoch"),
  sequence = ProtoField.uint32("lintel.frame.sequence", "Sequence"),
  acknowledged = ProtoField.uint32("lintel.frame.acknowledged", "Acknowledged"),
  frame_length = ProtoField.uint32("lintel.frame.length", "Length"),

  session_nid = ProtoField.ipv4("lintel.session.nid", "Nid"),
  session_pid = ProtoField.uint32("lintel.session.pid", "Pid"),
  incarnation = ProtoField.uint64("lintel.session.incarnation", "Incarnation", base.HEX),
  slot = ProtoField.uint32("lintel.session.slot", "Slot"),
  epoch = ProtoField.uint32("lintel.session.epoch", "Epoch"),
  echoed_epoch = ProtoField.uint32("lintel.session.echoed_epoch", "Echoed epoch"),
  oldest_version = ProtoField.uint8("lintel.session.oldest_version", "Oldest version"),
  reason = ProtoField.uint8("lintel.session.reason", "Reason", base.DEC, REFUSE_REASONS),
  provider = ProtoField.stringz("lintel.session.provider", "Provider"),
  session_flags = ProtoField.uint8("lintel.session.flags", "Flags", base.HEX),
  by_secret = ProtoField.bool("lintel.session.flags.secret", "Proved by the job's secret", 8, nil,
    PROVED_BY_SECRET),
  by_contact = ProtoField.bool("lintel.session.flags.contact", "Proved by the first contact", 8,
    nil, PROVED_BY_CONTACT),
  nonce = ProtoField.bytes("lintel.session.nonce", "Nonce"),
  echoed_nonce = ProtoField.bytes("lintel.session.echoed_nonce", "Echoed nonce"),
  proof = ProtoField.bytes("lintel.session.proof", "Proof"),

  record_length = ProtoField.uint32("lintel.record.length", "Message length"),
  reserved = ProtoField.bytes("lintel.reserved", "Reserved"),

  version = ProtoField.uint8("lintel.version", "Version"),
  kind = ProtoField.uint8("lintel.kind", "Kind", base.DEC, MESSAGE_KINDS),
  flags = ProtoField.uint8("lintel.flags", "Flags", base.HEX),
  ack_wanted = ProtoField.bool("lintel.flags.ack_wanted", "Ack wanted", 8, nil, FLAG_ACK_WANTED),
  announced = ProtoField.bool("lintel.flags.announced", "Announced", 8, nil, FLAG_ANNOUNCED),
  tracked = ProtoField.bool("lintel.flags.tracked", "Tracked", 8, nil, FLAG_TRACKED),
  more = ProtoField.bool("lintel.flags.more", "More", 8, nil, FLAG_MORE),
  cleared = ProtoField.bool("lintel.flags.cleared", "Cleared", 8, nil, FLAG_CLEARED),
  interface_kind = ProtoField.uint8("lintel.interface_kind", "Interface kind"),
  payload_length = ProtoField.uint32("lintel.payload_length", "Payload length"),

  initiator_nid = ProtoField.ipv4("lintel.initiator.nid", "Initiator nid"),
  initiator_pid = ProtoField.uint32("lintel.initiator.pid", "Initiator pid"),
  user = ProtoField.uint32("lintel.user", "User"),
  job = ProtoField.uint32("lintel.job", "Job"),
  target_nid = ProtoField.ipv4("lintel.target.nid", "Target nid"),
  target_pid = ProtoField.uint32("lintel.target.pid", "Target pid"),
  portal_index = ProtoField.uint32("lintel.portal_index", "Portal index"),
  cookie = ProtoField.uint32("lintel.cookie", "Cookie"),
  match_bits = ProtoField.uint64("lintel.match_bits", "Match bits", base.HEX),
  offset = ProtoField.uint64("lintel.offset", "Offset"),
  length = ProtoField.uint64("lintel.length", "Length"),
  header_data = ProtoField.uint64("lintel.header_data", "Header data", base.HEX),
  requested_length = ProtoField.uint64("lintel.requested_length", "Requested length"),
  manipulated_length = ProtoField.uint64("lintel.manipulated_length", "Manipulated length"),
  md_handle = ProtoField.uint32("lintel.md_handle", "Memory descriptor", base.HEX),
  md_generation = ProtoField.uint32("lintel.md_generation", "Generation"),
  return_offset = ProtoField.uint64("lintel.return_offset", "Return offset"),
  request_token = ProtoField.uint64("lintel.request_token", "Request's token", base.HEX),
  sender_token = ProtoField.uint64("lintel.sender_token", "Sender's token", base.HEX),

  atomic_operation = ProtoField.uint8("lintel.atomic_operation", "Operation", base.DEC,
    OPERATIONS_OF_ATOMICS),
  atomic_datatype = ProtoField.uint8("lintel.atomic_datatype", "Datatype", base.DEC, DATATYPES),
  operand = ProtoField.bytes("lintel.operand", "Operand"),
  failure = ProtoField.uint8("lintel.failure", "Failure", base.DEC, FAILURES),
  list = ProtoField.uint8("lintel.list", "List", base.DEC, LISTS),

  source_token = ProtoField.uint64("lintel.source_token", "Source's token", base.HEX),
  receiver_token = ProtoField.uint64("lintel.receiver_token", "Receiver's token", base.HEX),
  immediate = ProtoField.uint32("lintel.immediate", "Immediate"),
  several_writes = ProtoField.bool("lintel.several_writes", "One of several writes"),
  segment_count = ProtoField.uint32("lintel.segment_count", "Segments"),
  segment_key = ProtoField.uint64("lintel.segment.key", "Key", base.HEX),
  segment_address = ProtoField.uint64("lintel.segment.address", "Address", base.HEX),
  segment_length = ProtoField.uint64("lintel.segment.length", "Length"),
  write_count = ProtoField.uint64("lintel.write_count", "Writes"),
  token = ProtoField.uint64("lintel.token", "Dropped message's token", base.HEX),
  data = ProtoField.bytes("lintel.data", "Data"),
}
lintel.fields = f

local malformed = ProtoExpert.new("lintel.malformed", "Malformed", expert.group.MALFORMED,
  expert.severity.ERROR)
lintel.experts = { malformed }

-- Structs: fields in order, with their sizes ------------------------------------------------------

local FRAME_HEADER = {
  { f.frame_magic, 2 }, { f.frame_version, 1 }, { f.frame_kind, 1 }, { f.receiver_slot, 4 },
  { f.receiver_epoch, 4 }, { f.sequence, 4 },
  { f.acknowledged, 4 }, { f.frame_length, 4 },
}
local INTRODUCTION = {
  { f.session_nid, 4 }, { f.session_pid, 4 }, { f.incarnation, 8 }, { f.slot, 4 }, { f.epoch, 4 },
  { f.echoed_epoch, 4 },
  { f.oldest_version, 1 }, { f.session_flags, 1 }, { f.reserved, 2 }, { f.provider, 32 },
}
-- What follows since version 2.
local INTRODUCTION_PROOF = { { f.nonce, 16 }, { f.proof, 32 } }
local REFUSAL = {
  { f.echoed_epoch, 4 }, { f.reason, 1 }, { f.oldest_version, 1 }, { f.reserved, 2 },
  { f.provider, 32 },
}
local REFUSAL_PROOF = { { f.echoed_nonce, 16 } }
local CONFIRMATION = { { f.proof, 32 } }
local RECORD_HEADER = { { f.record_length, 4 }, { f.reserved, 4 } }
local MESSAGE_HEADER = {
  { f.version, 1 }, { f.kind, 1 }, { f.flags, 1 }, { f.interface_kind, 1 }, { f.payload_length, 4 },
}
-- All requests begin with the same fields. Each ends after its last field.
local UNANSWERED_PUT = {
  { f.initiator_nid, 4 }, { f.initiator_pid, 4 }, { f.user, 4 }, { f.job, 4 }, { f.target_nid, 4 },
  { f.target_pid, 4 },
  { f.portal_index, 4 }, { f.cookie, 4 }, { f.match_bits, 8 }, { f.offset, 8 }, { f.length, 8 },
  { f.header_data, 8 },
}
local function longer(struct, more)
  local fields = {}
  for _, field in ipairs(struct) do fields[#fields + 1] = field end
  for _, field in ipairs(more) do fields[#fields + 1] = field end
  return fields
end
local PUT = longer(UNANSWERED_PUT,
  { { f.md_handle, 4 }, { f.md_generation, 4 }, { f.sender_token, 8 } })
local REQUEST = longer(PUT, { { f.return_offset, 8 } })
local ATOMIC = longer(REQUEST,
  { { f.atomic_operation, 1 }, { f.atomic_datatype, 1 }, { f.reserved, 6 } })
local SWAP = longer(ATOMIC, { { f.operand, 32 } })
local RESPONSE = {
  { f.initiator_nid, 4 }, { f.initiator_pid, 4 }, { f.user, 4 }, { f.job, 4 }, { f.target_nid, 4 },
  { f.target_pid, 4 },
  { f.portal_index, 4 }, { f.failure, 1 }, { f.list, 1 }, { f.reserved, 2 }, { f.match_bits, 8 },
  { f.offset, 8 }, { f.requested_length, 8 }, { f.manipulated_length, 8 },
  { f.md_handle, 4 }, { f.md_generation, 4 }, { f.return_offset, 8 }, { f.request_token, 8 },
  { f.sender_token, 8 },
}
local CLEAR = {
  { f.source_token, 8 }, { f.receiver_token, 8 }, { f.length, 8 }, { f.immediate, 4 },
  { f.segment_count, 4 },
}
local SEGMENT = { { f.segment_key, 8 }, { f.segment_address, 8 }, { f.segment_length, 8 } }
local WRITTEN = { { f.receiver_token, 8 }, { f.write_count, 8 } }
local DISCARD = { { f.token, 8 } }

local MESSAGE_BODY = {
  GET = REQUEST, GETPUT = REQUEST, ATOMIC = ATOMIC, FETCH_ATOMIC = ATOMIC, SWAP = SWAP,
  ACK = RESPONSE, REPLY = RESPONSE, CLEAR = CLEAR, WRITTEN = WRITTEN, DISCARD = DISCARD,
}

local function size_of(struct)
  local size = 0
  for _, field in ipairs(struct) do size = size + field[2] end
  return size
end

local function body_of(name, flags)
  if name == "PUT" then return flags == 0 and UNANSWERED_PUT or PUT end
  return MESSAGE_BODY[name]
end

-- Adds the struct's fields at `at` to `tree`; returns where it ends.
local function add_struct(tree, struct, tvb, at)
  for _, field in ipairs(struct) do
    tree:add(field[1], tvb(at, field[2]))
    at = at + field[2]
  end
  return at
end

-- Where `wanted` starts in a struct that starts at `at`.
local function place_of(struct, wanted, at)
  for _, field in ipairs(struct) do
    if field[1] == wanted then return at end
    at = at + field[2]
  end
end

-- Engine messages ---------------------------------------------------------------------------------

local HEADER_SIZE = size_of(MESSAGE_HEADER)

local function flag_set(flags, flag) return bit.band(flags, flag) ~= 0 end

-- One line about the message at `at`, for the information column.
local function message_summary(tvb, at, name, flags)
  local body = at + HEADER_SIZE
  local function u32(struct, field) return tvb(place_of(struct, field, body), 4):uint() end
  local function u64(struct, field)
    return tostring(tvb(place_of(struct, field, body), 8):uint64())
  end
  local function hex(struct, field)
    return "0x" .. tvb(place_of(struct, field, body), 8):uint64():tohex()
  end
  local announced = flag_set(flags, FLAG_ANNOUNCED) and " announced," or ""
  local struct = body_of(name, flags)
  if struct == REQUEST or struct == ATOMIC or struct == SWAP or name == "PUT" then
    return string.format("%s%s length %s match bits %s", name, announced, u64(struct, f.length),
      hex(struct, f.match_bits))
  elseif struct == RESPONSE then
    local failure = tvb(place_of(RESPONSE, f.failure, body), 1):uint()
    local refused = failure ~= 0 and " " .. (FAILURES[failure] or "failed") .. "," or ""
    return string.format("%s%s length %s of %s match bits %s", name, announced .. refused,
      u64(RESPONSE, f.manipulated_length),
      u64(RESPONSE, f.requested_length), hex(RESPONSE, f.match_bits))
  elseif struct == CLEAR then
    return string.format("CLEAR length %s segments %u immediate %u%s", u64(CLEAR, f.length),
      u32(CLEAR, f.segment_count),
      u32(CLEAR, f.immediate), flag_set(flags, FLAG_MORE) and ", more" or "")
  elseif struct == WRITTEN then
    return "WRITTEN writes " .. u64(WRITTEN, f.write_count)
  end
  return "DISCARD token " .. hex(DISCARD, f.token)
end

local function add_flags(tree, range)
  local item = tree:add(f.flags, range)
  for _, flag in ipairs({ f.ack_wanted, f.announced, f.tracked, f.more, f.cleared }) do
    item:add(flag, range)
  end
end

local dissect_message

-- The CLEAR that a cleared GET carries in tvb(at, length); returns its summary.
local function dissect_clear_of_get(tvb, at, length, tree)
  if length < HEADER_SIZE or MESSAGE_KINDS[tvb(at + 1, 1):uint()] ~= "CLEAR" then
    if length > 0 then tree:add(f.data, tvb(at, length)) end
    tree:add_proto_expert_info(malformed, "no CLEAR where there should be one")
    return "CLEAR malformed"
  end
  return dissect_message(tvb, at, length, tree)
end

-- Shows the message in tvb(at, length); returns its summary.
function dissect_message(tvb, at, length, tree)
  local item = tree:add(lintel, tvb(at, length), "Message")
  if length < HEADER_SIZE then
    item:add_proto_expert_info(malformed, "shorter than a message header")
    return "malformed"
  end
  for _, field in ipairs(MESSAGE_HEADER) do
    local range = tvb(place_of(MESSAGE_HEADER, field[1], at), field[2])
    if field[1] == f.flags then add_flags(item, range) else item:add(field[1], range) end
  end
  local name = MESSAGE_KINDS[tvb(at + 1, 1):uint()]
  if not name then
    item:add_proto_expert_info(malformed, "unknown kind of message")
    return "unknown message"
  end
  local flags = tvb(at + 2, 1):uint()
  local struct = body_of(name, flags)
  if length < HEADER_SIZE + size_of(struct) then
    item:add_proto_expert_info(malformed, "shorter than a " .. name)
    return name .. " malformed"
  end
  item:set_text("Message " .. name)
  local data = add_struct(item, struct, tvb, at + HEADER_SIZE)
  local left = at + length - data
  if tvb(at + 4, 4):uint() ~= left then
    item:add_proto_expert_info(malformed, "payload_length is not what follows the fixed part")
  end
  if struct == CLEAR then
    while left >= size_of(SEGMENT) do
      data = add_struct(item:add(lintel, tvb(data, size_of(SEGMENT)), "Segment"),
        SEGMENT, tvb, data)
      left = left - size_of(SEGMENT)
    end
  elseif name == "GET" and flag_set(flags, FLAG_CLEARED) then
    return message_summary(tvb, at, name, flags) .. " with "
      .. dissect_clear_of_get(tvb, data, left, item)
  elseif left > 0 then
    item:add(f.data, tvb(data, left))
  end
  if struct == PUT or name == "ATOMIC" then
    local handle = tvb(place_of(PUT, f.md_handle, at + HEADER_SIZE), 4):uint()
    if flag_set(flags, FLAG_ACK_WANTED) == (handle == NO_DESCRIPTOR) then
      item:add_proto_expert_info(malformed,
        "'ack wanted' does not agree with the memory descriptor")
    end
  end
  return message_summary(tvb, at, name, flags)
end

-- Session frames ----------------------------------------------------------------------------------

local FRAME_HEADER_SIZE = size_of(FRAME_HEADER)

local function dissect_records(tvb, tree, summary)
  local at = FRAME_HEADER_SIZE
  while at + size_of(RECORD_HEADER) <= tvb:len() do
    local length = tvb(at, 4):uint()
    local start = at + size_of(RECORD_HEADER)
    if length > tvb:len() - start then
      tree:add_proto_expert_info(malformed, "a record is longer than its frame")
      break
    end
    local record = tree:add(lintel, tvb(at, size_of(RECORD_HEADER) + length), "Record")
    add_struct(record, RECORD_HEADER, tvb, at)
    summary = summary .. ", " .. dissect_message(tvb, start, length, record)
    at = start + length
    at = at + (-at) % 8
  end
  return summary
end

-- Shows the frame that fills `tvb`; returns its summary, or nil if it is none.
local function dissect_frame(tvb, tree)
  if tvb:len() < FRAME_HEADER_SIZE or tvb(0, 2):uint() ~= MAGIC then return nil end
  local root = tree:add(lintel, tvb())
  add_struct(root, FRAME_HEADER, tvb, 0)
  local name = FRAME_KINDS[tvb(3, 1):uint()]
  if not name then
    root:add_proto_expert_info(malformed, "unknown kind of frame")
    return "Lintel, unknown frame"
  end
  root:append_text(", " .. name)
  if tvb(20, 4):uint() ~= tvb:len() - FRAME_HEADER_SIZE then
    root:add_proto_expert_info(malformed, "length is not what follows the header")
  end
  if name == "DATA" then return dissect_records(tvb, root, "Lintel DATA") end
  local introduces = name == "HELLO" or name == "WELCOME"
  local body = introduces and INTRODUCTION or name == "REFUSE" and REFUSAL
    or name == "CONFIRM" and CONFIRMATION or {}
  local proof = introduces and INTRODUCTION_PROOF or name == "REFUSE" and REFUSAL_PROOF or {}
  if tvb(2, 1):uint() < 2 then proof = {} end
  local proof_at = FRAME_HEADER_SIZE + size_of(body)
  if tvb:len() < proof_at + size_of(proof) then
    root:add_proto_expert_info(malformed, "shorter than a " .. name)
  else
    add_struct(root, body, tvb, FRAME_HEADER_SIZE)
    add_struct(root, proof, tvb, proof_at)
    if introduces then
      local flags = tvb(FRAME_HEADER_SIZE + 29, 1)
      root:add(f.by_secret, flags)
      root:add(f.by_contact, flags)
    end
  end
  return "Lintel " .. name
end

function lintel.dissector(tvb, pinfo, tree)
  local summary = dissect_frame(tvb, tree)
  if not summary then return 0 end
  pinfo.cols.protocol = "Lintel"
  pinfo.cols.info = summary
  return tvb:len()
end

local function frame_magic_at(tvb, at) return tvb:len() >= at + 2 and tvb(at, 2):uint() == MAGIC end

-- What both framings share ------------------------------------------------------------------------

-- A remote write of that many bytes, with completion data at `range`. Returns its summary.
local function show_write(tree, range, completion_data, bytes)
  local immediate = bit.band(completion_data, 0x7fffffff)
  local several = completion_data ~= immediate
  local item = tree:add(lintel, range, "Lintel, remote write")
  item:add(f.immediate, range, immediate)
  item:add(f.several_writes, range, several)
  return string.format("Lintel write length %.0f immediate %.0f%s", bytes, immediate,
    several and ", one of several" or "")
end

local summaries = {}  -- of what ends in the TCP segment at hand

local function dissect_stream(tvb, pinfo, tree, header_size, length_of, dissect_one)
  summaries = {}
  dissect_tcp_pdus(tvb, tree, header_size, length_of, dissect_one)
  if #summaries > 0 then
    -- One packet may be dissected several times here: for the end of a message that began earlier,
    -- then for what follows.
    local separator = pinfo.private["lintel"] and "; " or ""
    pinfo.cols.info:set(separator .. table.concat(summaries, "; "))
    pinfo.cols.info:fence()
    pinfo.private["lintel"] = "shown"
  end
  return tvb:len()
end

-- The stream of `direct` --------------------------------------------------------------------------
-- A connection begins with a greeting each way; one that takes the place of a lost connection, with
-- two, most of them with a resumption behind. After that come pieces: a header, for a write or a
-- placed message one more, then a message, bytes to write, or a message and a payload; or nothing,
-- if it is an acknowledgement. A greeting's magic, read as the length of a piece, is more than any
-- piece has. An acknowledgement may have any number there; its kind comes next, where a greeting
-- has a zero.
--
-- The first piece of a connection that takes the place of another may begin in the middle: from
-- there on nothing is recognised until a segment begins with a piece.

local GREETINGS = {
  [1] = "connect", [2] = "accept", [3] = "simultaneous", [4] = "resume", [5] = "challenge",
  [6] = "proof", [7] = "resumed", [8] = "no stream",
}
local FIRST_WITH_RESUMPTION, LAST_WITH_RESUMPTION = 4, 7
local PIECES = {
  [1] = "message", [2] = "write", [3] = "placed message", [4] = "acknowledgement",
}
local ACKNOWLEDGE_WHEN_IDLE, ACKNOWLEDGE_SOON = 0x0001, 0x0002
local GREETING_MAGIC = 0x4c4e5444
local LARGEST_PIECE = 16 * 1024 * 1024  -- of a write; others have less
local LARGEST_PLACED_MESSAGE = 128

local d = {
  magic = ProtoField.uint32("lintel_direct.magic", "Magic", base.HEX),
  version = ProtoField.uint16("lintel_direct.version", "Version"),
  greeting = ProtoField.uint8("lintel_direct.greeting", "Greeting", base.DEC, GREETINGS),
  reserved = ProtoField.bytes("lintel_direct.reserved", "Reserved"),
  from_nid = ProtoField.ipv4("lintel_direct.from.nid", "From nid"),
  from_pid = ProtoField.uint32("lintel_direct.from.pid", "From pid"),
  to_nid = ProtoField.ipv4("lintel_direct.to.nid", "To nid"),
  to_pid = ProtoField.uint32("lintel_direct.to.pid", "To pid"),
  incarnation = ProtoField.uint64("lintel_direct.incarnation", "Incarnation", base.HEX),
  generation = ProtoField.uint64("lintel_direct.generation", "Generation"),
  received = ProtoField.uint64("lintel_direct.received", "Received"),
  nonce = ProtoField.bytes("lintel_direct.nonce", "Nonce"),
  proof = ProtoField.bytes("lintel_direct.proof", "Proof"),
  piece = ProtoField.uint8("lintel_direct.piece", "Piece", base.DEC, PIECES),
  length = ProtoField.uint32("lintel_direct.length", "Length"),
  message_bytes = ProtoField.uint8("lintel_direct.message_bytes", "Message's length"),
  flags = ProtoField.uint16("lintel_direct.flags", "Flags", base.HEX),
  when_idle = ProtoField.bool("lintel_direct.flags.acknowledge_when_idle", "Acknowledge when idle",
    16, nil, ACKNOWLEDGE_WHEN_IDLE),
  soon = ProtoField.bool("lintel_direct.flags.acknowledge_soon", "Acknowledge soon", 16, nil,
    ACKNOWLEDGE_SOON),
  acknowledged = ProtoField.uint32("lintel_direct.acknowledged", "Acknowledged"),
  write_key = ProtoField.uint64("lintel_direct.write.key", "Key", base.HEX),
  write_address = ProtoField.uint64("lintel_direct.write.address", "Address", base.HEX),
  write_immediate = ProtoField.uint32("lintel_direct.write.immediate", "Completion data", base.HEX),
  placed_key = ProtoField.uint64("lintel_direct.placed.key", "Key", base.HEX),
  data = ProtoField.bytes("lintel_direct.data", "Data"),
}
direct.fields = d

local GREETING = {
  { d.magic, 4 }, { d.version, 2 }, { d.greeting, 1 }, { d.reserved, 1 }, { d.from_nid, 4 },
  { d.from_pid, 4 }, { d.to_nid, 4 }, { d.to_pid, 4 },
  { d.incarnation, 8 }, { d.generation, 8 },
}
local RESUMPTION = { { d.received, 8 }, { d.nonce, 16 }, { d.proof, 32 } }
local PIECE_HEADER = { { d.length, 4 }, { d.piece, 1 }, { d.message_bytes, 1 }, { d.flags, 2 } }
local ACKNOWLEDGEMENT = {
  { d.acknowledged, 4 }, { d.piece, 1 }, { d.message_bytes, 1 }, { d.flags, 2 },
}
local WRITE_HEADER = {
  { d.write_key, 8 }, { d.write_address, 8 }, { d.write_immediate, 4 }, { d.reserved, 4 },
}
local PLACED_HEADER = { { d.placed_key, 8 } }
local SECOND_HEADER = {
  message = {}, write = WRITE_HEADER, ["placed message"] = PLACED_HEADER, acknowledgement = {},
}
local PIECE_HEADER_SIZE = size_of(PIECE_HEADER)

local function is_greeting(tvb, at)
  if tvb:len() - at < 4 or tvb(at, 4):uint() ~= GREETING_MAGIC then return false end
  return tvb:len() - at < 5 or tvb(at + 4, 1):uint() == 0
end

-- The bytes of the greeting at `at`, whose first PIECE_HEADER_SIZE are there.
local function greeting_size(tvb, at)
  local kind = tvb(at + place_of(GREETING, d.greeting, 0), 1):uint()
  local has_resumption = kind >= FIRST_WITH_RESUMPTION and kind <= LAST_WITH_RESUMPTION
  return size_of(GREETING) + (has_resumption and size_of(RESUMPTION) or 0)
end

-- The piece whose header is at `at`, or nil if there is none: where its message and its data or
-- payload start, and where it ends.
local function piece_at(tvb, at)
  if tvb:len() - at < PIECE_HEADER_SIZE then return nil end
  local length, name, message_bytes =
    tvb(at, 4):uint(), PIECES[tvb(at + 4, 1):uint()], tvb(at + 5, 1):uint()
  if name == "acknowledgement" then
    if message_bytes ~= 0 or tvb(at + 6, 2):uint() ~= 0 then return nil end
    return { name = name, length = length, message = PIECE_HEADER_SIZE, data = PIECE_HEADER_SIZE,
      size = PIECE_HEADER_SIZE }
  end
  if not name or length > LARGEST_PIECE
    or message_bytes > (name == "placed message" and LARGEST_PLACED_MESSAGE or 0) then
    return nil
  end
  local message = PIECE_HEADER_SIZE + size_of(SECOND_HEADER[name])
  local data = message + message_bytes
  return { name = name, length = length, message = message, data = data, size = data + length }
end

local function piece_length(tvb, _, at)
  if is_greeting(tvb, at) then return greeting_size(tvb, at) end
  local piece = piece_at(tvb, at)
  return piece and piece.size or tvb:len() - at  -- not a piece: nothing after it can be found
end

local function dissect_greeting(tvb, tree)
  local at = add_struct(tree, GREETING, tvb, 0)
  if greeting_size(tvb, 0) > at then add_struct(tree, RESUMPTION, tvb, at) end
  local name = GREETINGS[tvb(place_of(GREETING, d.greeting, 0), 1):uint()] or "unknown"
  tree:append_text(", greeting: " .. name)
  return "Lintel greeting, " .. name
end

-- The frame in tvb(at, length) if there is one; returns its summary.
local function dissect_message_of_piece(tvb, at, length, tree)
  return length > 0 and dissect_frame(tvb(at, length):tvb(), tree)
    or "Lintel message without a frame"
end

local function add_piece_flags(tree, range)
  tree:add(d.when_idle, range)
  tree:add(d.soon, range)
end

local function dissect_piece(tvb, pinfo, tree)
  local root = tree:add(direct, tvb())
  local greeting, piece = is_greeting(tvb, 0), piece_at(tvb, 0)
  local least = piece and piece.data or math.huge
  if greeting then
    least = tvb:len() < PIECE_HEADER_SIZE and math.huge or greeting_size(tvb, 0)
  end
  if tvb:len() < least then
    root:append_text(", not the start of a piece")
    return tvb:len()
  end
  pinfo.cols.protocol = "Lintel"
  if greeting then
    summaries[#summaries + 1] = dissect_greeting(tvb, root)
    return tvb:len()
  end
  root:append_text(", " .. piece.name)
  if piece.name == "acknowledgement" then
    add_struct(root, ACKNOWLEDGEMENT, tvb, 0)
    summaries[#summaries + 1] = string.format("Lintel acknowledgement up to %.0f", piece.length)
    return tvb:len()
  end
  add_struct(root, PIECE_HEADER, tvb, 0)
  add_piece_flags(root, tvb(place_of(PIECE_HEADER, d.flags, 0), 2))
  add_struct(root, SECOND_HEADER[piece.name], tvb, PIECE_HEADER_SIZE)
  if tvb:len() > piece.data then root:add(d.data, tvb(piece.data)) end
  local summary
  if piece.name == "message" then
    summary = dissect_message_of_piece(tvb, piece.message, tvb:len() - piece.message, tree)
  elseif piece.name == "placed message" then
    summary = string.format("%s, placed message of %u bytes",
      dissect_message_of_piece(tvb, piece.message, piece.data - piece.message, tree), piece.length)
  else
    local range = tvb(place_of(WRITE_HEADER, d.write_immediate, PIECE_HEADER_SIZE), 4)
    summary = show_write(tree, range, range:uint(), piece.length)
  end
  summaries[#summaries + 1] = summary
  return tvb:len()
end

local function dissect_direct(tvb, pinfo, tree)
  return dissect_stream(tvb, pinfo, tree, PIECE_HEADER_SIZE, piece_length, dissect_piece)
end

direct.dissector = dissect_direct

local function is_direct(tvb, pinfo, tree)
  local piece = piece_at(tvb, 0)
  local has_frame = piece and piece.name == "message" and frame_magic_at(tvb, piece.message)
  if not has_frame and not is_greeting(tvb, 0) then return false end
  pinfo.conversation = direct
  -- not through direct.dissector: one dissector further down, TCP no longer puts segments together
  dissect_direct(tvb, pinfo, tree)
  return true
end

direct:register_heuristic("tcp", is_direct)
DissectorTable.get("tcp.port"):add_for_decode_as(direct)

-- libfabric's framing -----------------------------------------------------------------------------
-- A connection begins with a 32-byte handshake each way, with up to 256 bytes of data. After that
-- come messages: a header of 16 bytes and more, in the byte order of the sender, then data. Byte 6
-- is the header's size, which a handshake has as 0. `size` counts both.

local OPERATIONS = {
  [0] = "message", [1] = "tagged message", [2] = "read request", [3] = "read response",
  [4] = "write", [5] = "write response",
}
local HANDSHAKES = { [0] = "connect request", [1] = "connect response", [6] = "connection refused" }
local XNET_VERSION = 3
local BASE_HEADER_SIZE = 16
local HANDSHAKE_SIZE = 32
local OP_MESSAGE, OP_TAGGED, OP_READ_REQUEST, OP_WRITE = 0, 1, 2, 4
local PLACED_FRAME_SIZE = 128
local FLAG_CQ_DATA = 0x01
local RXM_HEADER_SIZE = 64
local LARGEST_PDU = 0x7fffffff

local x = {
  version = ProtoField.uint8("xnet.version", "Version"),
  handshake = ProtoField.uint8("xnet.handshake", "Handshake", base.DEC, HANDSHAKES),
  operation = ProtoField.uint8("xnet.operation", "Operation", base.DEC, OPERATIONS),
  size = ProtoField.uint64("xnet.size", "Size"),
  header_size = ProtoField.uint8("xnet.header_size", "Header size"),
  tag = ProtoField.uint64("xnet.tag", "Tag", base.HEX),
  cq_data = ProtoField.uint64("xnet.cq_data", "Completion data"),
  address = ProtoField.uint64("xnet.rma.address", "Address", base.HEX),
  length = ProtoField.uint64("xnet.rma.length", "Length"),
  key = ProtoField.uint64("xnet.rma.key", "Key", base.HEX),
  data = ProtoField.bytes("xnet.data", "Data"),
}
xnet.fields = x

-- The header at `at`, or nil if there is none (or a handshake).
local function base_header(tvb, at)
  if tvb:len() - at < BASE_HEADER_SIZE or tvb(at, 1):uint() ~= XNET_VERSION then return nil end
  local header = {
    operation = tvb(at + 1, 1):uint(), iov_count = tvb(at + 5, 1):uint(),
    header_size = tvb(at + 6, 1):uint(),
  }
  if header.header_size < BASE_HEADER_SIZE or not OPERATIONS[header.operation] then return nil end
  -- The smaller reading of the size is the right one: the other is at least 2^24 times as much for
  -- any message that fits a capture.
  local little, big = tvb(at + 8, 8):le_uint64():tonumber(), tvb(at + 8, 8):uint64():tonumber()
  header.little_endian = little <= big
  header.size = math.min(little, big)
  local flags = tvb(at + 2, 2)
  header.flags = header.little_endian and flags:le_uint() or flags:uint()
  return header.size >= header.header_size and header or nil
end

local function is_handshake(tvb, at)
  return tvb(at, 1):uint() == XNET_VERSION and tvb(at + 6, 1):uint() == 0
end

-- Where the Lintel frame starts in a message whose data start at `at`; nil if there is none. Under
-- ofi_rxm, its header comes first.
local function frame_start(tvb, at)
  if frame_magic_at(tvb, at) then return at end
  local rxm_eager = tvb:len() > at + RXM_HEADER_SIZE and tvb(at + 1, 1):uint() == 0
    and tvb(at + 34, 1):uint() == OP_MESSAGE
  if rxm_eager and frame_magic_at(tvb, at + RXM_HEADER_SIZE) then return at + RXM_HEADER_SIZE end
  return nil
end

local function pdu_length(tvb, _, at)
  local header = base_header(tvb, at)
  if header then return math.min(header.size, LARGEST_PDU) end
  if is_handshake(tvb, at) then return HANDSHAKE_SIZE + tvb(at + 2, 2):uint() end
  return tvb:len() - at  -- not a message: nothing after it can be found
end

-- Shows the operation's own fields, of which the size of the header says how many there are;
-- returns the completion data or nil, and the bytes written or read.
local function dissect_operation(tvb, tree, header)
  local function add(field, at)
    if header.little_endian then tree:add_le(field, tvb(at, 8)) else tree:add(field, tvb(at, 8)) end
    return (header.little_endian and tvb(at, 8):le_uint64() or tvb(at, 8):uint64())
  end
  local at = BASE_HEADER_SIZE
  local cq_data, bytes = nil, 0
  if bit.band(header.flags, FLAG_CQ_DATA) ~= 0 and at + 8 <= header.header_size then
    cq_data = add(x.cq_data, at)
    at = at + 8
  end
  if header.operation == OP_TAGGED and at + 8 <= header.header_size then add(x.tag, at) end
  if header.operation == OP_WRITE or header.operation == OP_READ_REQUEST then
    for _ = 1, header.iov_count do
      if at + 24 > header.header_size then break end
      add(x.address, at)
      bytes = bytes + add(x.length, at + 8):tonumber()
      add(x.key, at + 16)
      at = at + 24
    end
  end
  return cq_data, bytes
end

local function dissect_pdu(tvb, pinfo, tree)
  local root = tree:add(xnet, tvb())
  local header = base_header(tvb, 0)
  if not header and not is_handshake(tvb, 0) then
    root:append_text(", not the start of a message")
    return tvb:len()
  end
  root:add(x.version, tvb(0, 1))
  if not header then
    local name = HANDSHAKES[tvb(1, 1):uint()] or "handshake"
    root:add(x.handshake, tvb(1, 1))
    root:append_text(", " .. name)
    summaries[#summaries + 1] = "libfabric " .. name
    return tvb:len()
  end
  local name = OPERATIONS[header.operation]
  root:append_text(", " .. name)
  root:add(x.operation, tvb(1, 1))
  root:add(x.header_size, tvb(6, 1))
  if header.little_endian then root:add_le(x.size, tvb(8, 8)) else root:add(x.size, tvb(8, 8)) end
  local header_size = math.min(header.header_size, tvb:len())
  local cq_data, bytes = dissect_operation(tvb, root, header)
  if tvb:len() > header_size then root:add(x.data, tvb(header_size)) end

  local summary
  local start = (header.operation == OP_MESSAGE or header.operation == OP_TAGGED)
    and frame_start(tvb, header_size)
  if start and header.operation == OP_TAGGED and tvb:len() - start > PLACED_FRAME_SIZE then
    local frame_size = math.min(FRAME_HEADER_SIZE + tvb(start + 20, 4):uint(), PLACED_FRAME_SIZE)
    summary = string.format("%s, placed message of %.0f bytes",
      dissect_frame(tvb(start, frame_size):tvb(), tree),
                            header.size - header.header_size - PLACED_FRAME_SIZE)
  elseif start then
    summary = dissect_frame(tvb(start):tvb(), tree)
  elseif header.operation == OP_WRITE and cq_data then
    summary = show_write(tree, tvb(BASE_HEADER_SIZE, 8), cq_data:lower(), bytes)
  end
  if summary then pinfo.cols.protocol = "Lintel" end
  summaries[#summaries + 1] = summary or ("libfabric " .. name)
  return tvb:len()
end

local function dissect_xnet(tvb, pinfo, tree)
  return dissect_stream(tvb, pinfo, tree, BASE_HEADER_SIZE, pdu_length, dissect_pdu)
end

xnet.dissector = dissect_xnet

local function is_lintel(tvb, pinfo, tree)
  local header = base_header(tvb, 0)
  if not header or header.header_size > tvb:len() or not frame_start(tvb, header.header_size) then
    return false
  end
  pinfo.conversation = xnet
  -- not through xnet.dissector: one dissector further down, TCP no longer puts segments together
  dissect_xnet(tvb, pinfo, tree)
  return true
end

xnet:register_heuristic("tcp", is_lintel)
DissectorTable.get("tcp.port"):add_for_decode_as(xnet)

-- IMPI's, between jobs, lies beside it.
local script = debug.getinfo(1, "S").source:match("^@(.*)lintel%.lua$")
local chunk = script and loadfile(script .. "impi.lua")
if chunk then pcall(chunk) end  -- not when it has been loaded before
