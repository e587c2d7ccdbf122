// Five sizes, two colour schemes, every view: nothing sticks out, and axe finds nothing.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { OPERA, PHONE, SLOW, depth, loadPgn, moveCount, type } from './tools.mjs';

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
export const SIZES = [[390, 844], [844, 390], [1024, 768], [1440, 900], [1920, 1080]];
export const VIEWS = ['analyse', 'play', 'report', 'files', 'settings'];

export const tests = [
  { name: 'fits a phone', options: PHONE, check: fitsAPhone },
  ...SIZES.map(([width, height]) => ({ name: `fits ${width}x${height}`, options: { viewport: { width, height } }, check: page => fits(page, width, height) })),
  ...['light', 'dark'].flatMap(colorScheme => [
    { name: `axe finds nothing in ${colorScheme} colours`, options: { colorScheme }, check: axe },
    { name: `axe finds nothing in ${colorScheme} colours on a phone`, options: { ...PHONE, colorScheme }, check: axe },
    { name: `coordinates and percentages are legible in ${colorScheme} colours`, options: { colorScheme }, check: legible },
  ]),
];

async function fits(page, width, height) {
  await loadPgn(page, OPERA);
  for (const view of VIEWS) {
    await page.click(`#tab-${view}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${view}: nothing sticks out: ${wide}`);
    const below = await page.evaluate(() => document.getElementById('moves').getBoundingClientRect().bottom - document.querySelector('.side').getBoundingClientRect().bottom);
    assert.ok(below <= 0, `${view}: the moves stay in their box: ${below}`);
  }
  await page.click('#tab-play');
  const [start, panel] = await Promise.all(['#new-game .primary', '#panel-play'].map(place => page.locator(place).boundingBox()));
  assert.ok(start.y + start.height <= panel.y + panel.height + 1, 'a game can be started without scrolling the form');
  const board = await page.locator('#board cg-board').boundingBox();
  assert.ok(Math.abs(board.width - board.height) < 1);
  const least = Math.min(width, height) * (width < 600 ? 0.85 : height < 500 ? 0.85 : 0.58);
  assert.ok(board.width >= least, `the board is large: ${board.width}`);
  assert.ok(board.y + board.height <= height, `and stands on the screen: ${board.y + board.height}`);
  if (height > 500 && width > 600) {
    const tall = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(tall <= height, `nothing to scroll: ${tall}`);
  }
}

async function axe(page) {
  await loadPgn(page, OPERA);
  await page.click('#tab-report');
  await page.selectOption('#report-nodes', '20000');
  await page.click('#report-start');
  await page.waitForSelector('.summary', SLOW);
  await page.click('#tab-analyse');
  await page.click('#engine-toggle');
  await depth(page, 6);
  for (const view of [...VIEWS, 'help', 'editor']) {
    if (view === 'help' || view === 'editor') {
      if (view === 'editor') await page.click('#tab-analyse');
      await page.click(`#${view}-open`);
    } else {
      await page.click(`#tab-${view}`);
    }
    await page.waitForTimeout(500);
    await page.evaluate(AXE);
    const found = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
    const told = found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => `${node.target.join(' ')} ${node.any[0]?.message ?? ''}`).join('; ')}`);
    assert.deepEqual(told, [], view);
    if (view === 'help' || view === 'editor') await page.keyboard.press('Escape');
  }
}

/// Contrast of a text to what lies behind it, of which axe cannot tell where that is drawn: on every kind of square, and
/// on every colour of a striped part.
async function legible(page) {
  await type(page, 'e4');
  await depth(page, 6);
  await page.waitForSelector('#wdl:not([hidden])');
  const contrasts = await page.evaluate(() => {
    // Colours as numbers: drawn, and looked at.
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const drawn = (...colours) => {
      for (const colour of colours) {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
      }
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = rgb => {
      const [r, g, b] = rgb.map(value => value / 255).map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, two) => {
      const [dark, light] = [luminance(one), luminance(two)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    };
    // A variable as the browser resolves it in this colour scheme.
    const variable = name => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = `var(--${name})`;
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    };
    const found = {};
    const coordinate = drawn(getComputedStyle(document.querySelector('#board coord')).color);
    for (const square of ['square-light', 'square-dark']) {
      found[square] = contrast(coordinate, drawn(variable(square)));
      found[`${square}, last move`] = contrast(coordinate, drawn(variable(square), variable('last-move')));
    }
    for (const part of document.querySelectorAll('#wdl span')) {
      const { color, backgroundColor, backgroundImage } = getComputedStyle(part);
      const behind = backgroundImage === 'none' ? [backgroundColor] : backgroundImage.match(/rgba?\([^)]*\)/g);
      for (const colour of behind) found[`${part.id} on ${colour}`] = contrast(drawn(color), drawn(colour));
    }
    return found;
  });
  assert.ok(Object.keys(contrasts).length >= 7, Object.keys(contrasts).join('; '));
  for (const [place, value] of Object.entries(contrasts)) assert.ok(value >= 4.5, `${place}: ${value.toFixed(2)}`);
}

async function fitsAPhone(page) {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= PHONE.viewport.width, `nothing sticks out: ${width}`);
  const box = await page.locator('#board cg-board').boundingBox();
  assert.ok(box.width > 330, `the board fills the screen: ${box.width}`);
  for (const tall of await page.locator('.steps > button, [role=tab]').all()) {
    assert.ok((await tall.boundingBox()).height >= 44, 'fingers are wide');
  }
  const size = box.width / 8;
  await page.touchscreen.tap(box.x + 4.5 * size, box.y + 6.5 * size);
  await page.touchscreen.tap(box.x + 4.5 * size, box.y + 4.5 * size);
  await moveCount(page, 1);
  await depth(page, 6);
}
