// The engine as the page sees it. The socket to the program is one; whatever takes the same requests and
// gives the same replies can stand in its place, such as a worker in the page itself.

import type { Reply, Request } from './protocol';

export type Status = 'connecting' | 'open' | 'refused' | 'lost';

export interface EngineEvents {
  reply(reply: Reply): void;
  status(status: Status): void;
}

export interface Engine {
  /// Whether requests are carried out now; others are dropped, and asked again after the next `hello`.
  readonly isOpen: boolean;
  /// A number for a request, by which its answers are recognised.
  nextId(): number;
  send(request: Request): void;
}
