// The page: builds its parts and passes on what the engine says.

import '@lichess-org/chessground/assets/chessground.base.css';
import '@lichess-org/chessground/assets/chessground.cburnett.css';
import './styles/page.css';
import './styles/board.css';
import './styles/panels.css';
import './styles/layout.css';
import { App } from './app';
import { byId, onClick } from './dom';
import type { Status } from './engine/engine';
import type { Reply } from './engine/protocol';
import { ChosenEngine } from './engine/chosen';
import type { NetProgress } from './engine/worker';
import { Keeper } from './store/keeper';
import { Analysis } from './views/analysis';
import { BoardView } from './views/board';
import { Editor } from './views/editor';
import { EndgameView } from './views/endgame';
import { Explorer } from './views/explorer';
import { Files } from './views/files';
import { Graph } from './views/graph';
import { bindKeyboard } from './views/keyboard';
import { Library } from './views/library';
import { MoveList } from './views/moves';
import { OpeningView } from './views/opening';
import { Play } from './views/play';
import { bindPlayForm, setLevels } from './views/play-form';
import { Players } from './views/players';
import { ReportView } from './views/report';
import { Settings } from './views/settings';
import { Sound } from './views/sound';
import { bindTabs } from './views/tabs';

const STATUS: Record<Status, string> = {
  connecting: '',
  open: '',
  lost: 'The connection is lost; trying again… Your games are safe, clocks stand.',
  failed: 'The engine of this page could not be started: load the page again. Games can be looked at without it.',
  refused: 'Not connected. Open the address that `tabiya serve` shows: it carries the key to the engine. (Is it still running? Are too many tabs open?) Games can be looked at without it.',
};

const engine = new ChosenEngine({ reply: receive, status: showStatus, net: showNet });
const app = new App(engine);
const board = new BoardView(app);
const analysis = new Analysis(app, board);
const play = new Play(app, board, analysis);
const opening = new OpeningView(app);
const endgame = new EndgameView(app);
const report = new ReportView(app, analysis);
const settings = new Settings(app, analysis);
const files = new Files(app, new Explorer(app));
const sound = new Sound();
const keeper = new Keeper(app, play);
new Players(app, play);
new Graph(app);
new MoveList(app);
new Library(app, keeper);
new Editor(app);
bindPlayForm();
bindTabs();
bindKeyboard(app, analysis, play);
app.onMove = san => sound.knock(san);

for (const [id, action] of [
  ['go-start', () => app.start()],
  ['go-back', () => app.back()],
  ['go-forward', () => app.forward()],
  ['go-end', () => app.end()],
  ['flip', () => app.flip()],
] as const) {
  onClick(id, action);
}

app.changed();
void keeper.start();
if (import.meta.env.PROD && 'serviceWorker' in navigator) void navigator.serviceWorker.register(`${import.meta.env.BASE_URL}sw.js`);

function showStatus(status: Status): void {
  const note = byId('connection');
  // An attempt to come back leaves the note where it is.
  if (status !== 'connecting') {
    note.textContent = STATUS[status];
    note.hidden = status === 'open';
  }
  if (status === 'lost' || status === 'refused' || status === 'failed') {
    play.pause();
    report.cancel('The connection was lost during the review.');
  }
}

/// How much of a network is here.
function showNet({ net, loaded, total }: NetProgress): void {
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  const note = byId('net');
  note.hidden = loaded >= total;
  const [name, meanwhile] = net === 'full' ? ['full network', 'It plays already, but not at its best.'] : ['network that plays like people', 'Then it moves.'];
  note.textContent = `Loading the ${name}: ${megabytes(loaded)} of ${megabytes(total)} MB. ${meanwhile}`;
}

function receive(reply: Reply): void {
  switch (reply.type) {
    case 'hello':
      byId('version').textContent = reply.version;
      settings.show(reply);
      setLevels(reply.elo, reply.human);
      play.playsLikePeople = reply.human;
      endgame.greet(reply.tables);
      opening.ask();
      if (play.isRunning) play.resume();
      else analysis.resume();
      break;
    case 'lines':
      analysis.receive(reply);
      play.receiveLines(reply);
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
    case 'endgame':
      endgame.show(reply);
      break;
    case 'progress':
      report.receiveProgress(reply);
      break;
    case 'report':
      void report.show(reply);
      break;
    case 'refused':
      if (files.refused(reply)) break;
      byId('engine-status').textContent = reply.reason;
      app.announce(reply.reason);
      report.refused(reply.id, reply.reason);
  }
}
