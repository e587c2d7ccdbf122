// Games against the engine: clocks, take-backs, premoves, draws, rematches, Chess960.

import assert from 'node:assert/strict';
import { clickMove, depth, kept, moveCount, moves, pgnOf, ready, setFen, square, startGame, text, type } from './tools.mjs';

export const tests = [
  { name: 'plays a game', check: playsAGame },
  { name: 'clocks are right after a take-back', check: clocks },
  { name: 'plays as people do', check: playsAsPeople },
  { name: 'agrees to a draw', check: draws },
  { name: 'knocks if it is told to', check: sound },
  { name: 'plays Chess960', check: playsChess960 },
  { name: 'plays from here, premoves, rematches', check: premoves },
];

async function playsAGame(page) {
  await page.click('#inspect-toggle');
  await page.click('#tab-play');
  await page.fill('#level', await page.getAttribute('#level', 'min'));
  assert.match(await text(page, '#level-text'), /beginner/);
  await page.fill('#level', '1500');
  await startGame(page);
  assert.match(await text(page, '#level-text'), /^Elo 1500, club player/);
  assert.match(await text(page, '#player-top'), /Tabiya \(1500\)/);
  assert.ok(await page.isHidden('#terms'), 'no help in a game');
  await type(page, 'f3');
  await moveCount(page, 2);
  await page.waitForSelector('#engine-status >> text=/nodes · .*\\/s · \\d+ threads?/');
  await page.click('#takeback');
  assert.deepEqual(await moves(page), []);
  await clickMove(page, 'e2', 'e4');
  await moveCount(page, 2);
  assert.ok(await page.isHidden('#graph-box'));
  await page.click('#hint');
  await page.waitForFunction(() => /Hint: \w/.test(document.getElementById('result').textContent));
  await page.click('#draw');
  assert.match(await text(page, '#result'), /plays on/);
  await page.click('#resign');
  assert.match(await text(page, '#result'), /Tabiya wins by resignation \(0-1\)/);
  await page.click('#toast >> text=Undo');
  assert.ok(await page.isVisible('#takeback'), 'a resignation can be taken back');
  await page.click('#resign');
  await type(page, 'a3');
  assert.equal((await moves(page)).length, 3, 'the board is not frozen after the game');
  await page.click('#leave');
  await depth(page, 3);
  assert.match(await pgnOf(page), /\[Result "0-1"\]/);
}

async function clockTime(page, who) {
  const [minutes, seconds] = (await text(page, `#player-${who} .clock`)).split(':').map(Number);
  return 60 * minutes + seconds;
}

async function clocks(page) {
  await startGame(page, '3+2');
  await type(page, 'e4');
  await moveCount(page, 2);
  await page.waitForTimeout(2600);
  assert.ok((await clockTime(page, 'bottom')) < 179, 'time runs');
  await page.click('#takeback');
  assert.equal(await clockTime(page, 'bottom'), 180, 'and comes back');
  assert.equal(await clockTime(page, 'top'), 180);
  await type(page, 'd4');
  await moveCount(page, 2);
  assert.match(await pgnOf(page), /\[%clk 0:0[23]:\d\d/, 'clocks are written down');
}

async function playsAsPeople(page) {
  const asked = [];
  page.on('websocket', socket => socket.on('framesent', ({ payload }) => asked.push(String(payload))));
  await page.reload();
  await ready(page);
  await page.click('#tab-play');
  await page.fill('#level', await page.getAttribute('#level', 'max'));
  assert.ok(await page.isDisabled('#human'), 'nobody plays at full strength');
  await page.fill('#level', '1200');
  await page.check('#human');
  await startGame(page);
  assert.match(await text(page, '#player-top'), /Tabiya \(1200, as people play\)/);
  await type(page, 'e4');
  await moveCount(page, 2);
  const thoughts = () => asked.filter(message => message.includes('"think"'));
  assert.match(thoughts().at(-1), /"elo":1200,"human":true/);
  await kept(page);
  await page.reload();
  await moveCount(page, 2);
  await ready(page);
  const before = thoughts().length;
  await type(page, 'd4');
  await moveCount(page, 4);
  assert.ok(thoughts().length > before && thoughts().slice(before).every(message => message.includes('"human":true')), 'and so it goes on after a reload');
  await page.click('#leave');
  await page.click('#tab-play');
  assert.ok(await page.isChecked('#human'), 'the choice is remembered');
}

/// Whoever has nothing left but the king is glad of a draw.
async function draws(page) {
  await setFen(page, '4k3/8/8/8/8/8/8/Q3K3 w - - 0 40');
  await page.click('#tab-play');
  await page.fill('#level', await page.getAttribute('#level', 'max'));
  await page.check('[name=here]');
  await startGame(page);
  await type(page, 'Ke2');
  await moveCount(page, 2);
  await page.click('#draw');
  assert.match(await text(page, '#result'), /Draw by agreement \(1\/2-1\/2\)/);
}

async function sound(page) {
  await page.evaluate(() => {
    window.knocks = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) {
      window.knocks++;
      return start.apply(this, when);
    };
  });
  await type(page, 'e4');
  assert.equal(await page.evaluate(() => window.knocks), 0, 'it is silent');
  await page.click('#tab-settings');
  await page.check('#sound');
  await type(page, 'e5');
  assert.ok((await page.evaluate(() => window.knocks)) > 0);
}

async function playsChess960(page) {
  await page.click('#tab-play');
  await page.check('[name=chess960]');
  await startGame(page, '1+0', 'black');
  await moveCount(page, 1);
  assert.equal(await page.locator('.clock').count(), 2);
  assert.match(await pgnOf(page), /\[Variant "Chess960"\]/);
}

async function premoves(page) {
  await type(page, 'e4', 'e5');
  await page.click('#tab-play');
  await page.check('[name=preset][value=none]');
  // Long enough to think ahead, however slow the machine; weak levels answer earlier.
  await page.fill('#level', await page.getAttribute('#level', 'max'));
  await page.fill('[name=seconds]', '8');
  await page.click('#tab-analyse');
  await page.click('#play-here');
  assert.deepEqual(await moves(page), []);
  await type(page, 'Nf3');
  await page.mouse.click(...(await square(page, 'b1')));
  await page.mouse.click(...(await square(page, 'c3')));
  await page.waitForSelector('square.current-premove', { state: 'attached' });
  await moveCount(page, 3);
  assert.equal((await moves(page))[2], 'Nc3');
  await page.click('#resign');
  await page.click('#rematch');
  assert.match(await text(page, '#player-bottom'), /You/);
  assert.equal(await page.locator('#player-bottom .disc.black').count(), 1, 'colours change');
}
