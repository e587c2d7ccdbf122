// What all parts of the page share: the game, the connection, and who wants to know of changes.

import type { Move } from 'chessops/types';
import type { Connection } from './connection';
import { byId } from './dom';
import { GameTree, type TreeNode } from './tree';
import { spokenSan } from './words';

export class App {
  tree = GameTree.fromFen();
  /// Who may move now by hand; a game against the engine narrows it down.
  movable: 'both' | 'white' | 'black' | undefined = 'both';
  /// A game against the engine is going on: no help from analysis, no other game.
  playing = false;
  private readonly listeners: (() => void)[] = [];
  private readonly live = byId('announcer');

  constructor(readonly connection: Connection) {}

  /// Calls `listener` whenever game or place in it change.
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  load(tree: GameTree): void {
    this.tree = tree;
    this.changed();
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

  play(move: Move): void {
    const mover = this.tree.position.turn === 'white' ? 'White' : 'Black';
    const node = this.tree.play(move);
    this.announce(`${mover}: ${spokenSan(node.san)}`);
    this.changed();
  }

  /// Tells people who listen instead of looking.
  announce(text: string): void {
    this.live.textContent = text;
  }
}
