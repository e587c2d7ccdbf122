// The engine that answers: the program if it is there, else the one inside the page.

import type { Backend, Engine, EngineEvents, Place, Status } from './engine';
import { InsideEngine } from './inside';
import type { Reply, Request } from './protocol';
import { SocketEngine } from './socket';
import type { NetProgress } from './worker';

interface Events extends EngineEvents {
  net(progress: NetProgress): void;
}

export class ChosenEngine implements Engine {
  private lastId = 0;
  private readonly socket: SocketEngine;
  private inside: InsideEngine | undefined;

  constructor(private readonly events: Events) {
    this.socket = new SocketEngine({
      reply: reply => events.reply(reply),
      status: status => this.heard(status),
    });
  }

  get place(): Place {
    return this.inside && !this.socket.isOpen ? 'page' : 'program';
  }

  get isOpen(): boolean {
    return this.current.isOpen;
  }

  nextId(): number {
    return ++this.lastId;
  }

  send(request: Request): void {
    this.current.send(request);
  }

  private get current(): Backend {
    return this.inside && !this.socket.isOpen ? this.inside : this.socket;
  }

  private heard(status: Status): void {
    if (status === 'open') {
      if (this.inside) {
        this.inside.close();
        this.inside = undefined;
        // What it was doing is not done by the program.
        this.events.status('lost');
      }
    } else if (status !== 'connecting' && InsideEngine.isBuilt) {
      // Clocks stand until the other engine is there; a review of the program is gone.
      if (status === 'lost') this.events.status(status);
      // The page goes on by itself, and looks for the program now and then.
      this.inside ??= new InsideEngine({
        reply: (reply: Reply) => this.place === 'page' && this.events.reply(reply),
        status: status => this.place === 'page' && this.events.status(status),
        net: progress => this.events.net(progress),
      });
      return;
    }
    this.events.status(status);
  }
}
