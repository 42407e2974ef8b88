// Session: describe() and dump(), texts for users.

#include <cstring>
#include <string>

#include "transport/session/session.h"

namespace lintel::transport {

namespace {

const char* to_string(PeerState state) {
  switch (state) {
    case PeerState::kClosed: return "closed";
    case PeerState::kConnecting: return "connecting";
    case PeerState::kWelcoming: return "welcoming";
    case PeerState::kOpen: return "open";
    case PeerState::kLost: return "lost";
    case PeerState::kLocal: return "local";
  }
  return "?";
}

std::string to_string(ProcessId name) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += std::to_string((name.nid.value >> shift) & 0xff);
    text += shift > 0 ? "." : "";
  }
  return text + " pid " + std::to_string(name.pid.value);
}

std::string versions(unsigned oldest, unsigned newest) {
  return oldest == newest ? "version " + std::to_string(oldest)
                          : "versions " + std::to_string(oldest) + " to " + std::to_string(newest);
}

// A provider string from the wire: it ends at a zero byte and may contain unprintable bytes.
std::string printable(const char (&provider)[sizeof(Introduction::provider)]) {
  std::string text(provider, strnlen(provider, sizeof provider));
  for (char& c : text) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return text;
}

}  // namespace

std::string Session::describe(PeerId id) const {
  lock_.is_held();
  const PeerSession& peer = tables_.peers.at(id);
  const bool is_replaced = peer.state == PeerState::kOpen && !peer.error.ok();
  std::string text =
      to_string(peer.name) + " is " + (is_replaced ? "open again" : to_string(peer.state));
  if (!peer.error.ok()) text += std::string("; ") + peer.error.reason();
  if (!peer.not_reached.ok()) text += std::string(": ") + peer.not_reached.reason();
  if (peer.lost_messages > 0)
    text += "; " + std::to_string(peer.lost_messages) +
            (peer.lost_messages == 1 ? " message" : " messages") + " to it may not have arrived";
  // Versions and providers are shown only where they differ.
  const bool same_version =
      peer.oldest_version == kOldestFrameVersion && peer.newest_version == kFrameVersion;
  if (peer.newest_version != 0 &&
      !(same_version && introductions_.has_same_provider(peer.provider))) {
    text += "; it speaks " + versions(peer.oldest_version, peer.newest_version) +
            " with provider '" + printable(peer.provider) + "', this process speaks " +
            versions(kOldestFrameVersion, kFrameVersion) + " with provider '" +
            printable(introductions_.provider()) + "'";
  }
  return text;
}

void Session::dump(std::string& out) const {
  lock_.is_held();
  for (const auto& owned : tables_.peers.records()) {
    const PeerSession& peer = *owned;
    if (tables_.peers.find(peer.name) == kNoPeer) continue;  // forgotten
    out += "peer " + std::to_string(peer.id.value) + " " + to_string(peer.name) + " " +
           to_string(peer.state);
    out += " next_sequence " + std::to_string(peer.window.sent() + 1) + " acknowledged " +
           std::to_string(peer.window.acknowledged());
    out += " in_window " + std::to_string(peer.window.unacknowledged()) + " received " +
           std::to_string(peer.received.last());
    out += " leaving " + std::to_string(peer.leaving.count()) + " watchers " +
           std::to_string(peer.watchers);
    out += " last_heard_ns " + std::to_string(peer.last_heard.ns);
    out +=
        " open_frame_bytes " + std::to_string(peer.frame.messages() > 0 ? peer.frame.bytes() : 0);
    if (!peer.error.ok())
      out += std::string(" because ") + peer.error.reason() + " (" + peer.error.call() + ", " +
             std::to_string(peer.error.code()) + ")";
    out += "\n";
  }
  lower_->dump(out);
}

}  // namespace lintel::transport
