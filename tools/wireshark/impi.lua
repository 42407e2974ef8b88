-- Shows IMPI 0.0 (doc/impi.md) in captures: what clients and their server say to each other, and
-- the packets between two hosts.
--
--   tshark -X lua_script:tools/wireshark/impi.lua -r capture.pcapng
--   Wireshark: copy or link this file into "Personal Lua Plugins" (Help, About, Folders).
-- Not as root: Wireshark 4.4 loads no script then.
--
-- A connection to a server is recognised when it begins with AUTH. A connection between hosts is
-- recognised from the first packet whose header looks like one. In a capture that begins later, or
-- to see the rank that a host says first in a segment of its own, name the port where the server or
-- the host listens:
--   -d tcp.port==<port>,impi         ("Decode As")
--
-- Every field can be filtered by: impi.label == 0x2100, impi.type == 1, impi.tag == 7,
-- impi.src.pid == 450. Keys are not shown.

-- lintel.lua, which loads it, shows both protocols.
if impi_is_loaded then return end
impi_is_loaded = true

local impi = Proto("impi", "IMPI")

local COMMANDS = {
  [0x41555448] = "AUTH", [0x494D5049] = "IMPI", [0x434F4C4C] = "COLL", [0x444F4E45] = "DONE",
  [0x46494E49] = "FINI",
}
local MECHANISMS = { [0] = "NONE", [1] = "KEY" }
local PACKET_TYPES = {
  [0] = "DATA", [1] = "DATASYNC", [2] = "PROTOACK", [3] = "SYNCACK", [4] = "CANCEL",
  [5] = "CANCELYES", [6] = "CANCELNO", [7] = "FINI",
}

-- Fields ------------------------------------------------------------------------------------------

local f = {
  command = ProtoField.uint32("impi.command", "Command", base.HEX, COMMANDS),
  length = ProtoField.uint32("impi.length", "Length"),
  auth_mask = ProtoField.uint32("impi.auth.mask", "Mechanisms", base.HEX),
  auth_none = ProtoField.bool("impi.auth.none", "NONE", 32, nil, 0x1),
  auth_key = ProtoField.bool("impi.auth.key", "KEY", 32, nil, 0x2),
  auth_which = ProtoField.uint32("impi.auth.which", "Mechanism", base.DEC, MECHANISMS),
  auth_length = ProtoField.uint32("impi.auth.length", "Length of the mechanism's data"),
  rank = ProtoField.int32("impi.rank", "Client's rank"),
  size = ProtoField.int32("impi.size", "Clients"),
  label = ProtoField.uint32("impi.label", "Label", base.HEX),
  client_mask = ProtoField.uint32("impi.client_mask", "Clients that have sent it", base.HEX),
  host_rank = ProtoField.uint32("impi.host_rank", "Host's rank"),

  type = ProtoField.uint32("impi.type", "Type", base.DEC, PACKET_TYPES),
  packet_length = ProtoField.uint32("impi.len", "Length of the data"),
  src_hostid = ProtoField.ipv6("impi.src.hostid", "Source host"),
  src_pid = ProtoField.int64("impi.src.pid", "Source process"),
  dest_hostid = ProtoField.ipv6("impi.dest.hostid", "Destination host"),
  dest_pid = ProtoField.int64("impi.dest.pid", "Destination process"),
  srqid = ProtoField.uint64("impi.srqid", "Sender's request"),
  drqid = ProtoField.uint64("impi.drqid", "Receiver's request"),
  msglen = ProtoField.uint64("impi.msglen", "Length of the message"),
  lsrank = ProtoField.int32("impi.lsrank", "Source's rank in the communicator"),
  tag = ProtoField.int32("impi.tag", "Tag"),
  cid = ProtoField.uint64("impi.cid", "Context"),
  seqnum = ProtoField.uint64("impi.seqnum", "Sequence number"),
  count = ProtoField.int64("impi.count", "Count"),
  dtype = ProtoField.uint64("impi.dtype", "Datatype", base.HEX),
  reserved = ProtoField.bytes("impi.reserved", "Reserved"),
  data = ProtoField.bytes("impi.data", "Data"),
}

-- Labels: the specification's name, and the field of one element with its size. A version is two
-- fields.
local version_major = ProtoField.uint32("impi.version.major", "Major version")
local version_minor = ProtoField.uint32("impi.version.minor", "Minor version")
local LABELS = {
  [0x0000] = { name = "IMPI_NO_LABEL", size = 4 },
  [0x1000] = { name = "IMPI_C_VERSION", size = 8 },
  [0x1100] = { name = "IMPI_C_NHOSTS", size = 4,
    field = ProtoField.int32("impi.c.nhosts", "Hosts of the client") },
  [0x1200] = { name = "IMPI_C_NPROCS", size = 4,
    field = ProtoField.int32("impi.c.nprocs", "Processes of the client") },
  [0x1300] = { name = "IMPI_C_DATALEN", size = 4,
    field = ProtoField.uint32("impi.c.datalen", "Longest data of a packet") },
  [0x1400] = { name = "IMPI_C_TAGUB", size = 4,
    field = ProtoField.int32("impi.c.tagub", "Greatest tag") },
  [0x1500] = { name = "IMPI_C_COLL_XSIZE", size = 4,
    field = ProtoField.int32("impi.c.coll_xsize", "Crossover size of collectives") },
  [0x1600] = { name = "IMPI_C_COLL_MAXLINEAR", size = 4,
    field = ProtoField.int32("impi.c.coll_maxlinear", "Most masters of linear collectives") },
  [0x2000] = { name = "IMPI_H_IPV6", size = 16, field = ProtoField.ipv6("impi.h.ipv6", "Host") },
  [0x2100] = { name = "IMPI_H_PORT", size = 4,
    field = ProtoField.int32("impi.h.port", "Port of the host") },
  [0x2200] = { name = "IMPI_H_NPROCS", size = 4,
    field = ProtoField.int32("impi.h.nprocs", "Processes of the host") },
  [0x2300] = { name = "IMPI_H_ACKMARK", size = 4,
    field = ProtoField.uint32("impi.h.ackmark", "Packets for an acknowledgement") },
  [0x2400] = { name = "IMPI_H_HIWATER", size = 4,
    field = ProtoField.uint32("impi.h.hiwater", "Most packets ahead") },
  [0x3000] = { name = "IMPI_P_IPV6", size = 16,
    field = ProtoField.ipv6("impi.p.ipv6", "Process' host") },
  [0x3100] = { name = "IMPI_P_PID", size = 8, field = ProtoField.int64("impi.p.pid", "Process") },
}

local fields = { version_major, version_minor }
for _, field in pairs(f) do fields[#fields + 1] = field end
for _, label in pairs(LABELS) do fields[#fields + 1] = label.field end
impi.fields = fields

local malformed = ProtoExpert.new("impi.malformed", "Malformed", expert.group.MALFORMED,
  expert.severity.ERROR)
impi.experts = { malformed }

-- State of a connection: whether it is to a server, which side is its client, and which packet of
-- each direction was the first.

local stream_of_packet = Field.new("tcp.stream")
local connections = {}

function impi.init() connections = {} end

local function port_of(pinfo, side)
  return tostring(pinfo[side]) .. " " .. pinfo[side .. "_port"]
end

local function connection_of(pinfo)
  local stream = stream_of_packet().value
  connections[stream] = connections[stream] or { first = {} }
  return connections[stream]
end

-- Whether the data at `at` are the first of this side.
local function is_first(connection, pinfo, at)
  local packet = connection.first[port_of(pinfo, "src")]
  return at == 0 and (packet == nil or packet == pinfo.number)
end

-- Server and clients ------------------------------------------------------------------------------

local COMMAND_HEADER_SIZE = 8
local BARE_SIZE = 8           -- the server's choice of a mechanism, a client's key
local LONGEST_COMMAND = 2 ^ 26 -- more than all contributions of 32 clients to one label

-- Without an AUTH before it, the client is the side that talks to the port that the user has named.
local function is_from_client(connection, pinfo)
  if connection.client then return connection.client == port_of(pinfo, "src") end
  return pinfo.src_port ~= pinfo.match_uint
end

local function server_length(tvb, connection, pinfo, at)
  local left = tvb:len() - at
  if left < COMMAND_HEADER_SIZE then return 0 end
  local word, length = tvb(at, 4):uint(), tvb(at + 4, 4):uint()
  if COMMANDS[word] then
    if word == 0x41555448 and not connection.client then
      connection.client = port_of(pinfo, "src")
    end
  elseif is_from_client(connection, pinfo) then
    return BARE_SIZE
  end
  return length <= LONGEST_COMMAND and COMMAND_HEADER_SIZE + length or left
end

local function name_of_label(label)
  return LABELS[label] and LABELS[label].name or string.format("label 0x%04x", label)
end

local function dissect_elements(tvb, at, tree, label)
  local known = LABELS[label]
  if not known or (not known.field and label ~= 0x1000) or (tvb:len() - at) % known.size ~= 0 then
    if tvb:len() > at then tree:add(f.data, tvb(at)) end
    if known then
      tree:add_proto_expert_info(malformed,
        "the contributions are no multiple of " .. known.size .. " bytes")
    end
    return
  end
  while at < tvb:len() do
    if known.field then
      tree:add(known.field, tvb(at, known.size))
    else
      tree:add(version_major, tvb(at, 4))
      tree:add(version_minor, tvb(at + 4, 4))
    end
    at = at + known.size
  end
end

local function dissect_collection(tvb, tree, from_client)
  local header = from_client and 12 or 16
  if tvb:len() < header then
    tree:add_proto_expert_info(malformed, "shorter than a COLL")
    return "COLL malformed"
  end
  local label = tvb(8, 4):uint()
  tree:add(f.label, tvb(8, 4)):append_text(" (" .. name_of_label(label) .. ")")
  if not from_client then tree:add(f.client_mask, tvb(12, 4)) end
  dissect_elements(tvb, header, tree, label)
  local clients = from_client and "" or string.format(" of clients 0x%x", tvb(12, 4):uint())
  return "COLL " .. name_of_label(label) .. clients
end

-- The number in AUTH and IMPI.
local function dissect_number(tvb, tree, name, from_client)
  if tvb:len() ~= COMMAND_HEADER_SIZE + 4 then
    tree:add_proto_expert_info(malformed, name .. " has four bytes")
    return name .. " malformed"
  end
  local range = tvb(8, 4)
  if name == "AUTH" then
    local item = tree:add(f.auth_mask, range)
    item:add(f.auth_none, range)
    item:add(f.auth_key, range)
    return string.format("AUTH mechanisms 0x%x", range:uint())
  end
  tree:add(from_client and f.rank or f.size, range)
  return string.format("IMPI %s %d", from_client and "rank" or "size", range:int())
end

local function dissect_bare(tvb, tree, from_client)
  if from_client then
    tree:append_text(", key, not shown")
    return "key"
  end
  tree:add(f.auth_which, tvb(0, 4))
  tree:add(f.auth_length, tvb(4, 4))
  if tvb:len() > BARE_SIZE then tree:add(f.data, tvb(BARE_SIZE)) end
  return "AUTH by " .. (MECHANISMS[tvb(0, 4):uint()] or "unknown mechanism")
end

local function dissect_command(tvb, tree, from_client)
  if tvb:len() < COMMAND_HEADER_SIZE then
    tree:add_proto_expert_info(malformed, "shorter than a command")
    return "malformed"
  end
  local name = COMMANDS[tvb(0, 4):uint()]
  if not name then return dissect_bare(tvb, tree, from_client) end
  tree:append_text(", " .. name)
  tree:add(f.command, tvb(0, 4))
  tree:add(f.length, tvb(4, 4))
  if tvb(4, 4):uint() > LONGEST_COMMAND then
    tree:add_proto_expert_info(malformed, "no command is that long")
    return name .. " malformed"
  end
  if name == "COLL" then return dissect_collection(tvb, tree, from_client) end
  if name == "AUTH" or name == "IMPI" then return dissect_number(tvb, tree, name, from_client) end
  if tvb:len() > COMMAND_HEADER_SIZE then tree:add(f.data, tvb(COMMAND_HEADER_SIZE)) end
  return name
end

-- Hosts -------------------------------------------------------------------------------------------

local HEADER = {
  { f.type, 4 }, { f.packet_length, 4 }, { f.src_hostid, 16 }, { f.src_pid, 8 },
  { f.dest_hostid, 16 }, { f.dest_pid, 8 }, { f.srqid, 8 }, { f.drqid, 8 },
  { f.msglen, 8 }, { f.lsrank, 4 }, { f.tag, 4 }, { f.cid, 8 }, { f.seqnum, 8 }, { f.count, 8 },
  { f.dtype, 8 }, { f.reserved, 8 },
}
local HEADER_SIZE = 128
local RANK_SIZE = 4
local TYPE_DATASYNC, TYPE_FINI = 1, 7
local LONGEST_PACKET = 2 ^ 30

-- User data follow only two types, whatever length another type states.
local function data_size(tvb, at)
  if tvb(at, 4):uint() > TYPE_DATASYNC then return 0 end
  return tvb(at + 4, 4):uint()
end

-- Both forms in which IPv4 is written, with an address that a host can have.
local function is_hostid(tvb, at)
  if tvb(at, 8):uint64() ~= UInt64(0) or tvb(at + 8, 2):uint() ~= 0 then return false end
  local prefix = tvb(at + 10, 2):uint()
  return (prefix == 0 or prefix == 0xffff) and tvb(at + 12, 1):uint() ~= 0
end

-- The first half of the header is enough.
local function looks_like_packet(tvb, at)
  if tvb:len() - at < HEADER_SIZE / 2 then return false end
  local kind = tvb(at, 4):uint()
  if not PACKET_TYPES[kind] then return false end
  if kind == TYPE_FINI then return tvb(at + 8, 8):uint64() == UInt64(0) end  -- it may name nobody
  return is_hostid(tvb, at + 8) and is_hostid(tvb, at + 32)
end

-- The host that made the connection sends its rank first. The other one begins with a packet.
local function is_host_rank(tvb, connection, pinfo, at)
  if not is_first(connection, pinfo, at) or looks_like_packet(tvb, at) then return false end
  return looks_like_packet(tvb, at + RANK_SIZE) or pinfo.dst_port == pinfo.match_uint
end

local function host_length(tvb, connection, pinfo, at)
  if is_host_rank(tvb, connection, pinfo, at) then return RANK_SIZE end
  local left = tvb:len() - at
  if left < 8 then return 0 end
  local data = data_size(tvb, at)
  return data <= LONGEST_PACKET and HEADER_SIZE + data or left
end

local function name_of_process(tvb, at)
  if not is_hostid(tvb, at) then
    return string.format("pid %s", tostring(tvb(at + 16, 8):int64()))
  end
  return string.format("%s:%s", tostring(tvb(at + 12, 4):ipv4()), tostring(tvb(at + 16, 8):int64()))
end

local function dissect_packet(tvb, tree)
  if tvb:len() < HEADER_SIZE then
    tree:add_proto_expert_info(malformed, "shorter than a packet's header")
    return "malformed"
  end
  local at = 0
  for _, field in ipairs(HEADER) do
    tree:add(field[1], tvb(at, field[2]))
    at = at + field[2]
  end
  local kind = tvb(0, 4):uint()
  local name = PACKET_TYPES[kind]
  if not name then
    tree:add_proto_expert_info(malformed, "unknown type of packet")
    return "unknown packet"
  end
  tree:append_text(", " .. name)
  if data_size(tvb, 0) ~= tvb:len() - HEADER_SIZE then
    tree:add_proto_expert_info(malformed, "no packet has data that long")
  end
  if tvb:len() > HEADER_SIZE then tree:add(f.data, tvb(HEADER_SIZE)) end
  if kind == TYPE_FINI then return "FINI" end
  local way = string.format("%s from %s to %s", name, name_of_process(tvb, 8),
    name_of_process(tvb, 32))
  if kind > TYPE_DATASYNC then return way .. " request " .. tostring(tvb(56, 8):uint64()) end
  return string.format("%s length %u of %s tag %d context %s", way, tvb(4, 4):uint(),
    tostring(tvb(72, 8):uint64()), tvb(84, 4):int(),
    tostring(tvb(88, 8):uint64()))
end

-- Streams -----------------------------------------------------------------------------------------

local function is_servers(connection, tvb, at)
  if connection.servers == nil then connection.servers = COMMANDS[tvb(at, 4):uint()] ~= nil end
  return connection.servers
end

local function pdu_length(tvb, pinfo, at)
  local connection = connection_of(pinfo)
  if is_servers(connection, tvb, at) then return server_length(tvb, connection, pinfo, at) end
  return host_length(tvb, connection, pinfo, at)
end

local summaries = {}  -- of what ends in the TCP segment at hand

local function dissect_pdu(tvb, pinfo, tree)
  local root = tree:add(impi, tvb())
  local connection = connection_of(pinfo)
  local summary
  if is_servers(connection, tvb, 0) then
    summary = dissect_command(tvb, root, is_from_client(connection, pinfo))
  elseif tvb:len() == RANK_SIZE then
    root:add(f.host_rank, tvb())
    summary = string.format("host %u", tvb():uint())
  else
    summary = dissect_packet(tvb, root)
  end
  local side = port_of(pinfo, "src")
  connection.first[side] = connection.first[side] or pinfo.number
  summaries[#summaries + 1] = summary
  return tvb:len()
end

local SMALLEST_PDU = 4

local function dissect_stream(tvb, pinfo, tree)
  summaries = {}
  dissect_tcp_pdus(tvb, tree, SMALLEST_PDU, pdu_length, dissect_pdu)
  if #summaries > 0 then
    pinfo.cols.protocol = "IMPI"
    -- One packet may be dissected several times here: for the end of something that began earlier,
    -- then for what follows.
    pinfo.cols.info:set((pinfo.private["impi"] and "; " or "IMPI ")
      .. table.concat(summaries, "; "))
    pinfo.cols.info:fence()
    pinfo.private["impi"] = "shown"
  end
  return tvb:len()
end

impi.dissector = dissect_stream

local function is_impi(tvb, pinfo, tree)
  local begins_session = tvb:len() >= COMMAND_HEADER_SIZE and tvb(0, 4):uint() == 0x41555448
    and tvb(4, 4):uint() == 4
  if not begins_session and not looks_like_packet(tvb, 0)
    and not looks_like_packet(tvb, RANK_SIZE) then
    return false
  end
  pinfo.conversation = impi
  -- not through impi.dissector: one dissector further down, TCP no longer puts segments together
  dissect_stream(tvb, pinfo, tree)
  return true
end

impi:register_heuristic("tcp", is_impi)
DissectorTable.get("tcp.port"):add_for_decode_as(impi)
