// Marks on moves (NAGs) in signs and words, so that nobody depends on their colour.

export const GLYPHS: Record<number, [text: string, name: string]> = {
  1: ['!', 'good move'],
  2: ['?', 'mistake'],
  3: ['!!', 'brilliant move'],
  4: ['??', 'blunder'],
  5: ['!?', 'interesting move'],
  6: ['?!', 'inaccuracy'],
  7: ['□', 'only move'],
  10: ['=', 'even'],
  13: ['∞', 'unclear'],
  14: ['+/=', 'White is slightly better'],
  15: ['=/+', 'Black is slightly better'],
  16: ['±', 'White is better'],
  17: ['∓', 'Black is better'],
  18: ['+−', 'White is winning'],
  19: ['−+', 'Black is winning'],
  22: ['⊙', 'zugzwang'],
  36: ['↑', 'initiative'],
  40: ['→', 'attack'],
  132: ['⇆', 'counterplay'],
  138: ['⊕', 'time trouble'],
  146: ['N', 'novelty'],
};

/// What a move was: at most one of them.
export const MOVE_MARKS = [3, 1, 5, 6, 2, 4, 7];
/// How the position is: at most one of them.
export const POSITION_MARKS = [10, 13, 14, 15, 16, 17, 18, 19];

const FILL: Record<number, string> = { 1: '#00649c', 2: '#b5460f', 3: '#00649c', 4: '#a0195b', 5: '#00649c', 6: '#8a6100', 7: '#00649c' };

/// Sets a mark or takes it away; it replaces others of its kind.
export function toggleMark(nags: number[], nag: number): number[] {
  const group = [MOVE_MARKS, POSITION_MARKS].find(marks => marks.includes(nag)) ?? [nag];
  const rest = nags.filter(other => !group.includes(other));
  return nags.includes(nag) ? rest : [nag, ...rest];
}

/// The mark that is drawn on the board.
export function boardMark(nags: number[]): { text: string; fill: string } | undefined {
  const nag = nags.find(each => MOVE_MARKS.includes(each));
  return nag === undefined ? undefined : { text: GLYPHS[nag]?.[0] ?? '', fill: FILL[nag] ?? '#555' };
}
