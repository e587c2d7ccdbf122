// The page: builds its parts and passes on what the program says.

import '@lichess-org/chessground/assets/chessground.base.css';
import '@lichess-org/chessground/assets/chessground.cburnett.css';
import './board.css';
import './style.css';
import { Analysis } from './analysis';
import { App } from './app';
import { BoardView } from './board';
import { Connection, type Status } from './connection';
import { byId } from './dom';
import { Files } from './files';
import { Graph } from './graph';
import { bindKeyboard } from './keyboard';
import { MoveList } from './moves';
import { OpeningView } from './opening';
import { Play } from './play';
import type { Reply } from './protocol';
import { ReportView } from './report';
import { Settings } from './settings';
import { bindTabs } from './tabs';

const STATUS: Record<Status, string> = {
  connecting: 'connecting…',
  open: '',
  lost: 'The connection is lost; trying again…',
  refused: 'Not connected. Open the address that `tabiya serve` shows: it carries the key to the engine. (Is it still running? Are too many tabs open?)',
};

const connection = new Connection(receive, status => {
  const note = byId('connection');
  note.textContent = STATUS[status];
  note.hidden = status === 'open' || status === 'connecting';
  if (status === 'lost') report.cancel(STATUS.lost);
});
const app = new App(connection);
const board = new BoardView(app);
const graph = new Graph(app);
const analysis = new Analysis(app, board, graph);
const play = new Play(app, board, analysis);
const opening = new OpeningView(app);
const report = new ReportView(app, analysis);
const settings = new Settings(app);
new MoveList(app);
new Files(app);
bindKeyboard(app, board, analysis, play);
bindTabs();

for (const [id, action] of [
  ['go-start', () => app.start()],
  ['go-back', () => app.back()],
  ['go-forward', () => app.forward()],
  ['go-end', () => app.end()],
  ['flip', () => board.flip()],
] as const) {
  byId(id).addEventListener('click', action);
}
byId('cut').addEventListener('click', () => {
  app.tree.cut();
  app.changed();
});
byId('promote').addEventListener('click', () => {
  app.tree.promote();
  app.changed();
});

app.changed();

function receive(reply: Reply): void {
  switch (reply.type) {
    case 'hello':
      byId('version').textContent = reply.version;
      settings.show(reply.options, reply.evaluation);
      play.setLevels(reply.elo);
      opening.ask();
      if (play.isRunning) play.resume();
      else analysis.resume();
      break;
    case 'lines':
      analysis.receive(reply);
      break;
    case 'best':
      play.receive(reply);
      break;
    case 'inspection':
      analysis.receiveInspection(reply);
      break;
    case 'opening':
      opening.show(reply);
      break;
    case 'report':
      report.show(reply);
      break;
    case 'refused':
      byId('engine-status').textContent = reply.reason;
      app.announce(reply.reason);
      report.refused(reply.id, reply.reason);
  }
}
