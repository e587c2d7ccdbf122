// Steps to undo and to do again: the whole game as text before each edit.

import { type Snapshot, restore, snapshot } from './game/snapshot';
import type { GameTree } from './game/tree';

const LONGEST = 200;

interface Step {
  name: string;
  state: Snapshot;
}

export class History {
  private past: Step[] = [];
  private future: Step[] = [];

  clear(): void {
    this.past = [];
    this.future = [];
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /// The name of the edit that is undone next.
  get undoName(): string {
    return this.past.at(-1)?.name ?? '';
  }

  /// Remembers the game as it is before an edit.
  record(tree: GameTree, name: string): void {
    this.past.push({ name, state: snapshot(tree) });
    if (this.past.length > LONGEST) this.past.shift();
    this.future = [];
  }

  /// Nothing was changed after all.
  forget(): void {
    this.past.pop();
  }

  undo(tree: GameTree): { name: string; tree: GameTree } | undefined {
    return travel(this.past, this.future, tree);
  }

  redo(tree: GameTree): { name: string; tree: GameTree } | undefined {
    return travel(this.future, this.past, tree);
  }
}

function travel(from: Step[], to: Step[], tree: GameTree): { name: string; tree: GameTree } | undefined {
  const step = from.pop();
  if (!step) return undefined;
  to.push({ name: step.name, state: snapshot(tree) });
  return { name: step.name, tree: restore(step.state) };
}
