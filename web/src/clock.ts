// Two chess clocks. Time runs only for the side to move, and only after both have moved once.

export type Side = 'white' | 'black';

export class Clock {
  private left: Record<Side, number>;
  private running: Side | undefined;
  private since = 0;

  constructor(
    baseMs: number,
    readonly incrementMs: number,
  ) {
    this.left = { white: baseMs, black: baseMs };
  }

  /// Milliseconds a side has left now.
  time(side: Side): number {
    const used = this.running === side ? performance.now() - this.since : 0;
    return Math.max(0, this.left[side] - used);
  }

  /// Stops the clock of whoever moved and starts the other one, unless it runs already.
  press(mover: Side, next: Side): void {
    if (this.running === next) return;
    if (this.running === mover) this.left[mover] = this.time(mover) + this.incrementMs;
    this.running = next;
    this.since = performance.now();
  }

  stop(): void {
    if (this.running) this.left[this.running] = this.time(this.running);
    this.running = undefined;
  }

  /// The side whose time is over.
  flagged(): Side | undefined {
    return this.running && this.time(this.running) === 0 ? this.running : undefined;
  }
}

/// `4:05`, and tenths at the end: `0:09.4`.
export function clockText(ms: number): string {
  const seconds = ms / 1000;
  const whole = Math.floor(seconds);
  const minutes = Math.floor(whole / 60);
  if (seconds >= 20) return `${minutes}:${String(whole % 60).padStart(2, '0')}`;
  return `${minutes}:${(Math.floor(seconds * 10) / 10 % 60).toFixed(1).padStart(4, '0')}`;
}
