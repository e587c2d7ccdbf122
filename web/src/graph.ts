// The evaluation of the game as a drawing: White's chances over the moves.

import type { App } from './app';
import { byId, svg } from './dom';
import type { TreeNode } from './tree';
import { scoreText, winPercent } from './words';

const WIDTH = 600;
const HEIGHT = 110;

export class Graph {
  private readonly root = byId('graph');

  constructor(private readonly app: App) {
    app.onChange(() => this.render());
    this.root.addEventListener('click', event => {
      const box = this.root.getBoundingClientRect();
      const line = app.tree.mainline();
      const index = Math.round(((event.clientX - box.left) / box.width) * (line.length - 1));
      app.go(line[index]);
    });
  }

  render(): void {
    const line = this.app.tree.mainline();
    const known = line.flatMap((node, index) => (node.score ? [{ node, index, score: node.score }] : []));
    this.root.hidden = known.length < 2;
    if (this.root.hidden) return;
    const last = Math.max(line.length - 1, 1);
    const x = (index: number): number => (index / last) * WIDTH;
    const points = known.map(({ index, score }) => ({ x: x(index), y: HEIGHT * (1 - winPercent(score) / 100) }));
    const path = points.map(point => `${point.x.toFixed(1)},${point.y.toFixed(1)}`).join(' L');
    const first = points[0]?.x ?? 0;
    const end = points.at(-1)?.x ?? 0;
    const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': describe(known.length, line) });
    drawing.append(
      svg('rect', { class: 'graph-black', width: WIDTH, height: HEIGHT }),
      svg('path', { class: 'graph-white', d: `M${first},${HEIGHT} L${path} L${end},${HEIGHT} Z` }),
      svg('path', { class: 'graph-middle', d: `M0,${HEIGHT / 2} H${WIDTH}` }),
      svg('path', { class: 'graph-line', d: `M${path}` }),
      ...marks(line, x),
    );
    const here = line.indexOf(this.app.tree.current);
    if (here >= 0) drawing.append(svg('path', { class: 'graph-here', d: `M${x(here)},0 V${HEIGHT}` }));
    this.root.replaceChildren(drawing);
  }
}

/// A mark where a move was a mistake; taller for worse ones.
function marks(line: TreeNode[], x: (index: number) => number): SVGElement[] {
  const size: Record<number, number> = { 6: 5, 2: 8, 4: 12 };
  return line.flatMap((node, index) => {
    const worst = node.nags.find(nag => size[nag]);
    if (worst === undefined) return [];
    const tall = size[worst] ?? 0;
    return [svg('path', { class: `graph-mark nag${worst}`, d: `M${x(index) - tall / 2},0 h${tall} l${-tall / 2},${tall} Z` })];
  });
}

function describe(count: number, line: TreeNode[]): string {
  const last = line.at(-1)?.score;
  return `Evaluation of ${count} positions${last ? `, at the end ${scoreText(last)}` : ''}`;
}
