// The channel between processes that mpirun has started. A module of its own, loaded only then, so
// that the program starts quickly and needs no MPI without it.
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <list>
#include <stdexcept>

#include "runtime/distributed/load_channel.h"

namespace stiffit::internal {
namespace {

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error(std::string("MPI cannot ") + what + ": " + std::string(text, length));
}

// Open MPI looks for fast networks first, which takes longer than all the rest of its beginning. On
// one machine it would use none of them. What the user has chosen stays.
void skip_networks_on_one_machine() {
  const char* all = std::getenv("OMPI_COMM_WORLD_SIZE");
  const char* here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (all && here && std::strcmp(all, here) == 0) setenv("OMPI_MCA_pml", "ob1", 0);
}

class MpiChannel : public Channel {
 public:
  MpiChannel() {
    skip_networks_on_one_machine();
    int given = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given), "start");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "tell the rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "count the ranks");
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, std::string_view bytes) override {
    if (bytes.size() > (std::numeric_limits<int>::max()))
      throw std::runtime_error("a message between processes is too long");
    Sent& sent = sent_.emplace_back(Sent{std::string(bytes), MPI_REQUEST_NULL});
    check(MPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, to, 0,
                    MPI_COMM_WORLD, &sent.request),
          "send");
    forget_sent();
  }

  std::optional<Message> receive() override {
    forget_sent();
    int there = 0;
    MPI_Message handle;
    MPI_Status status;
    check(MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &handle, &status), "receive");
    if (!there) return std::nullopt;
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    Message message{status.MPI_SOURCE, std::string(length, '\0')};
    check(MPI_Mrecv(message.bytes.data(), length, MPI_BYTE, &handle, &status), "receive");
    return message;
  }

  void close(bool whole) override {
    if (!whole) return;  // ending together would wait for the lost for ever
    for (Sent& sent : sent_) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
    sent_.clear();
    while (receive()) {  // nobody may wait in a send
    }
    MPI_Finalize();
  }

 private:
  struct Sent {
    std::string bytes;
    MPI_Request request;
  };

  void forget_sent() {
    for (auto at = sent_.begin(); at != sent_.end();) {
      int done = 0;
      MPI_Test(&at->request, &done, MPI_STATUS_IGNORE);
      at = done ? sent_.erase(at) : std::next(at);
    }
  }

  int rank_ = 0, size_ = 1;
  std::list<Sent> sent_;
};

}  // namespace
}  // namespace stiffit::internal

extern "C" stiffit::internal::Channel* stiffit_channel() {
  return new stiffit::internal::MpiChannel;
}
