// The list of moves with variations, comments and marks.

import type { App } from './app';
import { byId, element } from './dom';
import type { TreeNode } from './tree';
import { moveNumber } from './words';

/// Marks in words, so that nobody depends on their colour.
export const GLYPHS: Record<number, [text: string, name: string]> = {
  1: ['!', 'good move'],
  2: ['?', 'mistake'],
  3: ['!!', 'brilliant move'],
  4: ['??', 'blunder'],
  5: ['!?', 'interesting move'],
  6: ['?!', 'inaccuracy'],
  7: ['□', 'only move'],
};

export class MoveList {
  private readonly list = byId('moves');
  private readonly comment = byId<HTMLTextAreaElement>('comment');

  constructor(private readonly app: App) {
    app.onChange(() => this.render());
    this.comment.addEventListener('change', () => {
      app.tree.current.comment = this.comment.value.trim();
      this.render();
    });
  }

  private render(): void {
    const { root, current } = this.app.tree;
    this.list.replaceChildren(...this.commentOf(root), ...this.line(root, 0));
    this.comment.value = current.comment;
    const here = this.list.querySelector<HTMLElement>('[aria-current]');
    if (here) {
      const { offsetTop, offsetHeight } = here;
      const { scrollTop, clientHeight } = this.list;
      const hidden = offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight;
      if (hidden) this.list.scrollTop = offsetTop - clientHeight / 2;
    } else {
      this.list.scrollTop = 0;
    }
    byId('moves-empty').hidden = root.children.length > 0;
  }

  /// The moves after a node: the main line flows, variations stand in brackets after the move they
  /// replace.
  private line(from: TreeNode, depth: number): Node[] {
    const nodes: Node[] = [];
    let at = from;
    let numbered = true;
    while (at.children.length > 0) {
      const [main, ...others] = at.children as [TreeNode, ...TreeNode[]];
      nodes.push(this.move(main, numbered), ...this.commentOf(main));
      for (const other of others) nodes.push(this.variation(other, depth + 1));
      numbered = others.length > 0 || main.comment !== '';
      at = main;
    }
    return nodes;
  }

  private variation(first: TreeNode, depth: number): Node {
    return element(
      'span',
      { class: depth === 1 ? 'variation' : 'variation nested' },
      this.move(first, true),
      ...this.commentOf(first),
      ...this.line(first, depth),
    );
  }

  private move(node: TreeNode, numbered: boolean): Node {
    const number = node.parent ? moveNumber(node.parent.position, numbered) : '';
    const glyphs = node.nags.flatMap(nag => (GLYPHS[nag] ? [{ nag, glyph: GLYPHS[nag] }] : []));
    const button = element(
      'button',
      {
        class: 'move',
        'aria-current': node === this.app.tree.current ? 'true' : undefined,
        onclick: () => this.app.go(node),
      },
      node.san,
      ...glyphs.map(({ nag, glyph: [text, name] }) =>
        element('span', { class: `glyph nag${nag}`, title: name, 'aria-label': name }, text),
      ),
    );
    return element('span', { class: 'ply' }, number && element('span', { class: 'number' }, number), button);
  }

  private commentOf(node: TreeNode): Node[] {
    return node.comment ? [element('span', { class: 'comment' }, node.comment)] : [];
  }
}
