// The evaluation of the game as a drawing: White's chances over the moves.

import type { App } from './app';
import { byId, svg } from './dom';
import type { Score } from './protocol';
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
    const stretches = neighbours(known).filter(run => run.length > 1);
    this.root.hidden = stretches.length === 0;
    if (this.root.hidden) return;
    const last = Math.max(line.length - 1, 1);
    const x = (index: number): number => (index / last) * WIDTH;
    const y = (score: Score): number => HEIGHT * (1 - winPercent(score) / 100);
    const runs = stretches.map(run => ({
      path: run.map(({ index, score }) => `${x(index).toFixed(1)},${y(score).toFixed(1)}`).join(' L'),
      first: x(run[0]?.index ?? 0),
      last: x(run.at(-1)?.index ?? 0),
    }));
    const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': describe(known.length, line) });
    drawing.append(
      svg('rect', { class: 'graph-black', width: WIDTH, height: HEIGHT }),
      ...runs.map(run => svg('path', { class: 'graph-white', d: `M${run.first},${HEIGHT} L${run.path} L${run.last},${HEIGHT} Z` })),
      svg('path', { class: 'graph-middle', d: `M0,${HEIGHT / 2} H${WIDTH}` }),
      ...runs.map(run => svg('path', { class: 'graph-line', d: `M${run.path}` })),
      ...marks(line, x),
    );
    const here = line.indexOf(this.app.tree.current);
    if (here >= 0) drawing.append(svg('path', { class: 'graph-here', d: `M${x(here)},0 V${HEIGHT}` }));
    this.root.replaceChildren(drawing);
  }
}

/// Positions that follow each other; nothing is drawn where nothing is known.
function neighbours<T extends { index: number }>(known: T[]): T[][] {
  const runs: T[][] = [];
  for (const point of known) {
    const run = runs.at(-1);
    if (run?.at(-1)?.index === point.index - 1) run.push(point);
    else runs.push([point]);
  }
  return runs;
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
