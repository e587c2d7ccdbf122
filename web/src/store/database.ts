// What stays in the browser: games, and what the page was doing.

import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Snapshot } from '../game/snapshot';
import type { Side } from '../game/clock';
import type { SavedMatch } from '../views/match';

export interface SavedGame extends Snapshot {
  id: string;
  /// Given by the user; players and result otherwise.
  name: string;
  white: string;
  black: string;
  result: string;
  event: string;
  date: string;
  opening: string;
  moves: number;
  created: number;
  changed: number;
  orientation: Side;
  /// A game against the engine that goes on.
  match: SavedMatch | undefined;
}

interface Schema extends DBSchema {
  games: { key: string; value: SavedGame; indexes: { changed: number } };
}

let opened: Promise<IDBPDatabase<Schema>> | undefined;

function database(): Promise<IDBPDatabase<Schema>> {
  opened ??= openDB<Schema>('tabiya', 1, {
    upgrade(made) {
      made.createObjectStore('games', { keyPath: 'id' }).createIndex('changed', 'changed');
    },
  });
  return opened;
}

export async function putGame(game: SavedGame): Promise<void> {
  await (await database()).put('games', game);
}

export async function getGame(id: string): Promise<SavedGame | undefined> {
  return (await database()).get('games', id);
}

export async function deleteGame(id: string): Promise<void> {
  await (await database()).delete('games', id);
}

/// All games, the one touched last first.
export async function allGames(): Promise<SavedGame[]> {
  return (await (await database()).getAllFromIndex('games', 'changed')).reverse();
}
