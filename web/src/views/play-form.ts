// The form for a new game: colour, level, clock. Choices are remembered.

import { byId, inputById } from '../dom';
import type { Side } from '../game/clock';
import { type Agreement, PRESETS, levelName } from './match';

const STORE = 'tabiya-new-game';
const STEP = 50;

function form(): HTMLFormElement {
  return byId('new-game') as HTMLFormElement;
}

export function bindPlayForm(): void {
  const kept = JSON.parse(localStorage.getItem(STORE) ?? '{}') as Record<string, string>;
  for (const [name, value] of Object.entries(kept)) {
    const control = form().elements.namedItem(name);
    if (control instanceof RadioNodeList || (control instanceof HTMLInputElement && control.type === 'number')) control.value = value;
    else if (control instanceof HTMLInputElement && control.type === 'checkbox') control.checked = true;
  }
  inputById('level').addEventListener('input', showLevel);
  form().addEventListener('change', () => {
    const data = new FormData(form());
    const preset = PRESETS[field(data, 'preset')];
    if (preset) {
      inputById('minutes').value = String(preset.minutes);
      inputById('increment').value = String(preset.increment);
    }
    showClock();
    localStorage.setItem(STORE, JSON.stringify({ ...Object.fromEntries([...data].filter(([name]) => name !== 'chess960' && name !== 'here')), level: inputById('level').value }));
  });
  showClock();
}

/// Numbers only for a clock of one's own, seconds only without one.
function showClock(): void {
  const preset = field(new FormData(form()), 'preset');
  byId('own-clock').hidden = preset !== 'own';
  byId('own-seconds').hidden = preset === 'own' ? Number(inputById('minutes').value) > 0 : preset !== 'none';
}

/// The levels the engine offers, and whether it can play like people; the top of the slider is its full strength.
export function setLevels(range: [number, number] | null, human: boolean): void {
  byId('level-row').hidden = !range;
  byId('human-row').hidden = !human;
  if (!range) return;
  const level = inputById('level');
  const kept = JSON.parse(localStorage.getItem(STORE) ?? '{}') as Record<string, string>;
  const [min, max] = range;
  level.min = String(min);
  level.max = String(min + Math.ceil((max - min) / STEP) * STEP + STEP);
  level.step = String(STEP);
  level.value = kept.level ?? String(Math.min(1500, max));
  showLevel();
}

function showLevel(): void {
  const { value, max } = inputById('level');
  inputById('human').disabled = Boolean(byId('human-row').hidden) || value === max;
  byId('level-text').textContent = value === max ? 'full strength' : `Elo ${value}, ${levelName(Number(value))}`;
}

export function setColor(color: Side): void {
  (form().elements.namedItem('color') as RadioNodeList).value = color;
}

export function readAgreement(): Agreement {
  const data = new FormData(form());
  const level = inputById('level');
  const color = field(data, 'color');
  return {
    color: color === 'white' || color === 'black' ? color : 'random',
    elo: byId('level-row').hidden || level.value === level.max ? null : Number(level.value),
    human: data.has('human'),
    minutes: Number(field(data, 'minutes')),
    increment: Number(field(data, 'increment')),
    seconds: Number(field(data, 'seconds')),
    chess960: data.has('chess960'),
    fromHere: data.has('here'),
  };
}

function field(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}
