// What the processes of a worker pool say to each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/record.h"

namespace stiffit::internal {

enum class WorkerMessageKind : std::int64_t {
  hello,    // from a worker: its number of threads
  piece,    // to a worker: kind, input
  note,     // from a worker
  result,   // from a worker
  trouble,  // from a worker: a piece, or all it should do, cannot be done
  alive,    // from a worker
  stop,     // to a worker: the run is interrupted
  home      // to a worker: nothing more will come
};

struct WorkerMessage {
  WorkerMessageKind word = WorkerMessageKind::alive;
  std::int64_t round = 0, piece = 0;
  std::string kind, body;

  std::string bytes() const {
    RecordWriter w;
    w.whole(static_cast<std::int64_t>(word));
    w.whole(round);
    w.whole(piece);
    w.text(kind);
    w.text(body);
    return w.bytes();
  }
  static WorkerMessage of(std::string_view bytes) {
    RecordReader r(bytes);
    WorkerMessage m;
    const std::int64_t word = r.whole();
    if (word < 0 || word > static_cast<std::int64_t>(WorkerMessageKind::home))
      throw BadRecord("a message of another version");
    m.word = static_cast<WorkerMessageKind>(word);
    m.round = r.whole();
    m.piece = r.whole();
    m.kind = r.text();
    m.body = r.text();
    r.finish();
    return m;
  }
};

}  // namespace stiffit::internal
