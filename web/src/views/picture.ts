// Pictures of the board: SVG with the pieces that are on the screen, or PNG drawn from it.

import { type TemplateResult, html, nothing, render, svg } from 'lit-html';
import type { Piece } from 'chessops/types';
import type { App } from '../app';
import { download } from '../dom';
import { BRUSH } from './board';

const SIZE = 45;
const NAMESPACE = 'http://www.w3.org/2000/svg';

/// The picture of a piece as the style sheet has it.
function pieceImage({ color, role }: Piece): string {
  const probe = document.createElement('div');
  probe.className = 'cg-wrap unseen';
  const piece = document.createElement('piece');
  piece.className = `${role} ${color}`;
  probe.append(piece);
  document.body.append(probe);
  const image = /url\("?(.*?)"?\)/.exec(getComputedStyle(piece).backgroundImage)?.[1] ?? '';
  probe.remove();
  return image;
}

export function boardDrawing(app: App): TemplateResult {
  const { position, current } = app.tree;
  const white = app.orientation === 'white';
  const x = (square: number): number => SIZE * (white ? square & 7 : 7 - (square & 7));
  const y = (square: number): number => SIZE * (white ? 7 - (square >> 3) : square >> 3);
  const centre = (square: number): [number, number] => [x(square) + SIZE / 2, y(square) + SIZE / 2];
  const squares = Array.from({ length: 64 }, (_, square) => square);
  const last = current.move && 'from' in current.move ? [current.move.from, current.move.to] : [];
  const arrows = current.shapes.map(({ color, from, to }) => {
    const fill = BRUSH[color];
    const [fx, fy] = centre(from);
    const [tx, ty] = centre(to);
    if (from === to) return svg`<circle cx=${fx} cy=${fy} r=${SIZE / 2 - 2} fill="none" stroke=${fill} stroke-width="3" opacity="0.85"></circle>`;
    const length = Math.hypot(tx - fx, ty - fy);
    const angle = (Math.atan2(ty - fy, tx - fx) * 180) / Math.PI;
    return svg`<path transform="translate(${fx} ${fy}) rotate(${angle})" d="M0,-3.5 H${length - 18} V-10 L${length - 4},0 L${length - 18},10 V3.5 H0 Z" fill=${fill} opacity="0.85"></path>`;
  });
  return html`<svg xmlns=${NAMESPACE} viewBox="0 0 ${8 * SIZE} ${8 * SIZE}" width=${16 * SIZE} height=${16 * SIZE}>
    ${squares.map(square => svg`<rect x=${x(square)} y=${y(square)} width=${SIZE} height=${SIZE} fill=${((square & 7) + (square >> 3)) % 2 ? '#eeeadb' : '#7c9c93'}></rect>`)}
    ${last.map(square => svg`<rect x=${x(square)} y=${y(square)} width=${SIZE} height=${SIZE} fill="#f2c84b" opacity="0.5"></rect>`)}
    ${squares.map(square => {
      const piece = position.board.get(square);
      return piece ? svg`<image x=${x(square)} y=${y(square)} width=${SIZE} height=${SIZE} href=${pieceImage(piece)}></image>` : nothing;
    })}
    ${arrows}
  </svg>`;
}

/// The text of a drawing, with what a file needs.
export function svgText(drawing: TemplateResult): string {
  const place = document.createElement('div');
  render(drawing, place);
  const root = place.querySelector('svg');
  for (const comment of comments(place)) comment.remove();
  return root ? new XMLSerializer().serializeToString(root) : '';
}

/// The marks that lit leaves behind.
function comments(place: HTMLElement): Comment[] {
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_COMMENT);
  const found: Comment[] = [];
  while (walker.nextNode()) found.push(walker.currentNode as Comment);
  return found;
}

export function saveSvg(drawing: TemplateResult, name: string): void {
  download(new Blob([svgText(drawing)], { type: 'image/svg+xml' }), `${name}.svg`);
}

export async function savePng(drawing: TemplateResult, name: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(drawing))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/png'));
  if (blob) download(blob, `${name}.png`);
}
