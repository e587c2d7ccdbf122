// Starting positions of Chess960 by number (Scharnagl's scheme; 518 is the usual one).

const KNIGHTS = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]] as const;

export function chess960Fen(number: number): string {
  const rank: string[] = Array.from({ length: 8 }, () => '');
  /// Puts a piece on the n-th empty square.
  const put = (piece: string, nth: number): void => {
    const empty = rank.flatMap((there, file) => (there ? [] : [file]));
    rank[empty[nth] ?? 0] = piece;
  };
  let rest = Math.min(959, Math.max(0, Math.floor(number)));
  const take = (choices: number): number => {
    const digit = rest % choices;
    rest = Math.floor(rest / choices);
    return digit;
  };
  rank[take(4) * 2 + 1] = 'b';
  rank[take(4) * 2] = 'b';
  put('q', take(6));
  const [first, second] = KNIGHTS[rest] ?? KNIGHTS[0];
  put('n', second);
  put('n', first);
  for (const piece of ['r', 'k', 'r']) put(piece, 0);
  const back = rank.join('');
  const rooks = rank.flatMap((piece, file) => (piece === 'r' ? ['abcdefgh'.charAt(file)] : []));
  const castling = rooks.reverse().join('');
  return `${back}/pppppppp/8/8/8/8/PPPPPPPP/${back.toUpperCase()} w ${castling.toUpperCase()}${castling} - 0 1`;
}
