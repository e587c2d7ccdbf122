// Reads files of many games beside the page: a list, the problems, and what was played in each position.

import { makeFen } from 'chessops/fen';
import { type ReadGame, readGames } from '../game/pgn-read';
import { fileText } from './decode';
import type { FileReply, FileRequest, GameRow, Played } from './messages';

/// Half-moves of each game that count for the opening explorer.
const EXPLORED = 40;
const PROGRESS_MS = 200;

let text = '';
let places: { from: number; to: number }[] = [];
let explored = new Map<string, Map<string, Played>>();

function post(reply: FileReply): void {
  postMessage(reply);
}

addEventListener('message', (event: MessageEvent<FileRequest>) => {
  const request = event.data;
  switch (request.kind) {
    case 'read':
      read(request.file).catch((error: unknown) => post({ kind: 'failed', reason: error instanceof Error ? error.message : 'it cannot be read' }));
      break;
    case 'text': {
      const place = places[request.index];
      if (place) post({ kind: 'text', index: request.index, text: text.slice(place.from, place.to) });
      break;
    }
    case 'played': {
      const moves = [...(explored.get(request.key)?.values() ?? [])];
      const count = (move: Played): number => move.white + move.draws + move.black;
      post({ kind: 'played', id: request.id, moves: moves.sort((a, b) => count(b) - count(a)) });
    }
  }
});

async function read(file: Blob | string): Promise<void> {
  text = typeof file === 'string' ? file : await fileText(file);
  places = [];
  explored = new Map();
  const rows: GameRow[] = [];
  let told = performance.now();
  for (const game of readGames(text)) {
    // Rubbish between games is none.
    if (game.headers.size === 0 && !game.problems.length && (game.tree?.root.children.length ?? 0) === 0) continue;
    places.push({ from: game.from, to: game.to });
    rows.push(rowOf(game));
    explore(game);
    if (performance.now() - told > PROGRESS_MS) {
      told = performance.now();
      post({ kind: 'progress', games: rows.length, share: game.to / text.length });
    }
  }
  post({ kind: 'done', rows });
}

function rowOf({ headers, tree, problems }: ReadGame): GameRow {
  const header = (name: string): string => (headers.get(name) ?? '').replace(/^[?.]+$/, '');
  return {
    white: header('White'),
    black: header('Black'),
    result: header('Result'),
    event: header('Event'),
    date: header('Date'),
    eco: header('ECO'),
    opening: header('Opening'),
    moves: (tree?.mainline().length ?? 1) - 1,
    problems,
  };
}

function explore({ headers, tree }: ReadGame): void {
  const result = headers.get('Result');
  for (const node of tree?.mainline().slice(1, EXPLORED + 1) ?? []) {
    if (!node.parent) continue;
    const key = positionKey(makeFen(node.parent.position.toSetup()));
    const moves = explored.get(key) ?? new Map<string, Played>();
    explored.set(key, moves);
    const move = moves.get(node.san) ?? { san: node.san, white: 0, draws: 0, black: 0 };
    moves.set(node.san, move);
    if (result === '1-0') move.white++;
    else if (result === '0-1') move.black++;
    else move.draws++;
  }
}

/// A position without its counters.
function positionKey(fen: string): string {
  return fen.split(' ').slice(0, 4).join(' ');
}
