// What all parts of the page share: the game, the engine, steps to undo, and who wants to know of changes.

import type { Move } from 'chessops/types';
import { byId } from './dom';
import type { Engine } from './engine/engine';
import { History } from './history';
import { type Side, other } from './game/clock';
import { GameTree, type TreeNode, newGame } from './game/tree';
import { spokenSan } from './game/words';
import { toast } from './views/toast';

/// Milliseconds until an announcement has been heard.
const HEARD = 4000;

export class App {
  tree: GameTree = newGame();
  /// Under which number the game is kept.
  gameId: string = crypto.randomUUID();
  /// Who may move now by hand; a game against the engine narrows it down.
  movable: 'both' | 'none' | Side = 'both';
  /// A game against the engine is going on: no help from analysis, no edits, no other game.
  playing = false;
  orientation: Side = 'white';
  /// Takes the next move made by hand instead of the game, as in training.
  trial: ((move: Move) => void) | undefined;
  /// Called before another game takes the place of this one.
  onLeave: () => void = () => undefined;
  /// Said by whoever watches the engine; the moves heard last are told by `play` itself.
  onMove: (san: string) => void = () => undefined;
  readonly history = new History();
  private readonly listeners: (() => void)[] = [];
  private readonly scoreListeners: (() => void)[] = [];
  private readonly live = byId('announcer');
  private announced = -Infinity;
  private mentioning: number | undefined;

  constructor(readonly engine: Engine) {}

  /// Calls `listener` whenever game or place in it change.
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /// Calls `listener` when the engine learnt something about the current position.
  onScore(listener: () => void): void {
    this.scoreListeners.push(listener);
  }

  scored(): void {
    for (const listener of this.scoreListeners) listener();
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  /// Another game takes the place of this one, which is kept under its own number.
  load(tree: GameTree, id: string = crypto.randomUUID(), orientation: Side = this.orientation): void {
    this.onLeave();
    this.tree = tree;
    this.gameId = id;
    this.orientation = orientation;
    this.movable = 'both';
    this.trial = undefined;
    this.history.clear();
    this.changed();
  }

  /// Changes the game in a way that can be undone.
  edit(name: string, action: () => void): void {
    if (this.playing) return;
    this.history.record(this.tree, name);
    action();
    this.changed();
  }

  undo(): void {
    this.travel('undo');
  }

  redo(): void {
    this.travel('redo');
  }

  private travel(way: 'undo' | 'redo'): void {
    if (this.playing) return;
    const step = this.history[way](this.tree);
    if (!step) {
      this.announce(way === 'undo' ? 'Nothing to undo' : 'Nothing to do again');
      return;
    }
    this.tree = step.tree;
    this.trial = undefined;
    this.announce(`${way === 'undo' ? 'Undone' : 'Done again'}: ${step.name}`);
    this.changed();
  }

  /// Removes the current move and what follows, which can be undone.
  cut(): void {
    if (this.playing || !this.tree.current.parent) return;
    const { san } = this.tree.current;
    this.edit(`delete ${san}`, () => this.tree.cut());
    toast(`${san} and what follows is deleted`, { text: 'Undo', action: () => this.undo() });
  }

  go(node: TreeNode | null | undefined): void {
    if (!node || node === this.tree.current) return;
    this.tree.current = node;
    if (node.san) this.announce(spokenSan(node.san));
    this.changed();
  }

  back(): void {
    this.go(this.tree.current.parent);
  }

  forward(): void {
    this.go(this.tree.current.children[0]);
  }

  start(): void {
    this.go(this.tree.root);
  }

  end(): void {
    let node = this.tree.current;
    while (node.children[0]) node = node.children[0];
    this.go(node);
  }

  /// Enters the variation beside the next move, or goes on to the next one beside the present move.
  variation(): void {
    const { current } = this.tree;
    const beside = current.children[1];
    if (beside) {
      this.go(beside);
      return;
    }
    const siblings = current.parent?.children ?? [];
    this.go(siblings[(siblings.indexOf(current) + 1) % siblings.length]);
  }

  flip(): void {
    this.orientation = other(this.orientation);
    this.changed();
  }

  /// A move by hand or of the engine.
  play(move: Move): void {
    if (this.trial) {
      this.trial(move);
      return;
    }
    const mover = this.tree.position.turn === 'white' ? 'White' : 'Black';
    const before = this.tree.current.children.length;
    const at = this.tree.current;
    if (!this.playing) this.history.record(this.tree, 'a move');
    const node = this.tree.play(move);
    if (!this.playing && at.children.length === before) this.history.forget();
    this.announce(`${mover}: ${spokenSan(node.san)}`);
    this.onMove(node.san);
    this.changed();
  }

  /// Tells people who listen instead of looking.
  announce(text: string): void {
    clearTimeout(this.mentioning);
    this.live.textContent = text;
    this.announced = performance.now();
  }

  /// Tells them what they did not ask for: when what was told last has been heard, if nothing else is told until then.
  mention(text: string): void {
    clearTimeout(this.mentioning);
    this.mentioning = window.setTimeout(() => this.announce(text), Math.max(0, this.announced + HEARD - performance.now()));
  }
}
