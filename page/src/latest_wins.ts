// SPDX-License-Identifier: Apache-2.0
// One request at a time, and afterwards only the newest of those asked for meanwhile: a slider
// that moves faster than the server answers still sees steady updates.

export class LatestWins<Q> {
  private running = false;
  private waiting: Q | null = null;

  constructor(private answer: (question: Q) => Promise<void>) {}

  get busy(): boolean {
    return this.running;
  }

  ask(question: Q): void {
    this.waiting = question;
    if (!this.running) void this.work();
  }

  private async work(): Promise<void> {
    this.running = true;
    while (this.waiting !== null) {
      const question = this.waiting;
      this.waiting = null;
      try {
        await this.answer(question);
      } catch {
        // `answer` reports its own failures; the next question is not to wait for them.
      }
    }
    this.running = false;
  }
}
