// What a search does, in one line: how far it is, how fast, and who searches.

import type { Place } from '../engine/engine';
import type { Lines } from '../engine/protocol';

export function workText({ depth, nodes, nps, threads }: Lines, place: Place): string {
  const who = place === 'page' ? 'engine in this page' : threads === 1 ? '1 thread' : `${threads} threads`;
  return `depth ${depth} · ${short(nodes)} nodes · ${short(nps)}/s · ${who}`;
}

/// 950, 12k, 4.5M.
function short(count: number): string {
  if (count < 1000) return String(count);
  return count < 1e6 ? `${(count / 1e3).toFixed(0)}k` : `${(count / 1e6).toFixed(1)}M`;
}
