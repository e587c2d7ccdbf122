// The engine as the page sees it: the program behind a socket, or a worker in the page itself. Both take
// the same requests and give the same replies.

import type { Reply, Request } from './protocol';

/// Refused by the program, or failed in this page.
export type Status = 'connecting' | 'open' | 'refused' | 'lost' | 'failed';

export interface EngineEvents {
  reply(reply: Reply): void;
  status(status: Status): void;
}

/// Who searches: the program on this machine, or this page.
export type Place = 'program' | 'page';

/// Something that carries out requests.
export interface Backend {
  /// Whether requests are carried out now; others are dropped.
  readonly isOpen: boolean;
  send(request: Request): void;
}

export interface Engine extends Backend {
  readonly place: Place;
  /// A number for a request, by which its answers are recognised.
  nextId(): number;
}
