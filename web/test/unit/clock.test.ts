import { describe, expect, it } from 'vitest';
import { Clock, clockText } from '../../src/game/clock';

/// A clock whose time we hold in our hand.
function held(baseMs: number, incrementMs = 0) {
  let now = 0;
  const clock = new Clock(baseMs, incrementMs, () => now);
  return { clock, wait: (ms: number) => (now += ms) };
}

describe('clock', () => {
  it('runs for one side, and adds the increment when that side has moved', () => {
    const { clock, wait } = held(60_000, 2000);
    clock.run('white');
    wait(10_000);
    expect(clock.time('white')).toBe(50_000);
    clock.press('white');
    clock.run('black');
    wait(1000);
    expect([clock.time('white'), clock.time('black')]).toEqual([52_000, 59_000]);
  });

  it('gives no increment to a side whose time did not run', () => {
    const { clock } = held(60_000, 2000);
    clock.press('black');
    expect(clock.time('black')).toBe(60_000);
  });

  it('stands while it is stopped, and flags nobody then', () => {
    const { clock, wait } = held(1000);
    clock.run('black');
    wait(600);
    clock.stop();
    wait(10_000);
    expect(clock.flagged()).toBeUndefined();
    expect(clock.time('black')).toBe(400);
    clock.run('black');
    wait(400);
    expect(clock.flagged()).toBe('black');
  });

  it('goes back to earlier times', () => {
    const { clock, wait } = held(60_000, 2000);
    clock.run('black');
    wait(5000);
    clock.set(60_000, 60_000);
    expect(clock.state).toEqual({ white: 60_000, black: 60_000, incrementMs: 2000 });
    expect(clock.turn).toBeUndefined();
  });

  it('comes back from what was kept', () => {
    const { clock } = held(60_000, 1000);
    expect(Clock.from(clock.state).state).toEqual(clock.state);
  });
});

it('writes times as people do', () => {
  expect([0, 9_449, 19_999, 20_000, 65_000, 3_605_000].map(clockText)).toEqual(['0:00.0', '0:09.4', '0:19.9', '0:20', '1:05', '1:00:05']);
});
