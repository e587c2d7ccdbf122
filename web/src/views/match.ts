// What is agreed on before a game against the engine.

import type { ClockState, Side } from '../game/clock';

export interface Agreement {
  color: Side | 'random';
  /// `null` is full strength.
  elo: number | null;
  /// Moves as people of that level choose them; games that were kept earlier do not say.
  human?: boolean;
  minutes: number;
  increment: number;
  /// Seconds for each move of the engine where there is no clock.
  seconds: number;
  chess960: boolean;
  /// From the position on the board.
  fromHere: boolean;
}

/// A running game, to be kept.
export interface SavedMatch {
  human: Side;
  agreement: Agreement;
  clock: ClockState | undefined;
}

export const PRESETS: Record<string, { minutes: number; increment: number }> = {
  '1+0': { minutes: 1, increment: 0 },
  '3+2': { minutes: 3, increment: 2 },
  '10+0': { minutes: 10, increment: 0 },
  '15+10': { minutes: 15, increment: 10 },
  none: { minutes: 0, increment: 0 },
};

/// What a rating means to people.
export function levelName(elo: number): string {
  const names: [number, string][] = [
    [1150, 'beginner'],
    [1350, 'casual player'],
    [1600, 'club player'],
    [2000, 'strong club player'],
    [2300, 'expert'],
    [2600, 'master'],
  ];
  return names.find(([below]) => elo < below)?.[1] ?? 'grandmaster and beyond';
}
