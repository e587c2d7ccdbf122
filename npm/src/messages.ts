// Made from the types of crates/session and crates/lab; see crates/session/src/typescript.rs.

export type Request = { "type": "analyse", 
/**
 * The number of this request.
 */
id: number, 
/**
 * What to analyse.
 */
position: Position, 
/**
 * How many lines.
 */
lines: number, 
/**
 * Whether the side to move passes.
 */
threat: boolean, 
/**
 * Where it ends, with a `best`.
 */
limit?: Limit, } | { "type": "think", 
/**
 * The number of this request.
 */
id: number, 
/**
 * Where to move.
 */
position: Position, 
/**
 * How long to think.
 */
limit: Limit, 
/**
 * The level to play at; none for full strength.
 */
elo: number | null, 
/**
 * Whether to play like people of that level, where a hello offered it.
 */
human: boolean, } | { "type": "inspect", 
/**
 * The number of this request.
 */
id: number, 
/**
 * Whose pieces.
 */
position: Position, } | { "type": "opening", 
/**
 * The number of this request.
 */
id: number, 
/**
 * The game so far.
 */
position: Position, } | { "type": "endgame", 
/**
 * The number of this request.
 */
id: number, 
/**
 * The game so far.
 */
position: Position, } | { "type": "report", 
/**
 * The number of this request.
 */
id: number, 
/**
 * The game.
 */
position: Position, 
/**
 * Nodes for each position.
 */
nodes: number, } | { "type": "cancel_report", } | { "type": "stop", } | { "type": "new_game", } | { "type": "option", 
/**
 * Its name.
 */
name: string, 
/**
 * The value; buttons need none.
 */
value: string, };

export type Position = { 
/**
 * The start.
 */
fen: string, 
/**
 * The moves from there.
 */
moves: Array<string>, 
/**
 * Whether castling may be that of Chess960.
 */
chess960: boolean, };

export type Limit = { "kind": "time", 
/**
 * Milliseconds.
 */
ms: number, } | { "kind": "clock", 
/**
 * White's milliseconds.
 */
white_ms: number, 
/**
 * Black's.
 */
black_ms: number, 
/**
 * What a move adds.
 */
increment_ms: number, } | { "kind": "depth", 
/**
 * How many.
 */
depth: number, } | { "kind": "nodes", 
/**
 * How many.
 */
nodes: number, };

export type Reply = { "type": "hello", 
/**
 * The version of the program.
 */
version: string, 
/**
 * What judges positions.
 */
evaluation: string, 
/**
 * The range of the levels.
 */
elo: [number, number] | null, 
/**
 * Whether it can play like people.
 */
human: boolean, 
/**
 * Most pieces, kings included, that endgame tables know; 0 without tables.
 */
tables: number, 
/**
 * What can be set.
 */
options: Array<OptionRow>, } | { "type": "lines" } & Lines | { "type": "best", 
/**
 * The request.
 */
id: number, 
/**
 * The move.
 */
move: string | null, 
/**
 * What it is worth.
 */
score: PublicScore, } | { "type": "inspection", 
/**
 * The request.
 */
id: number, 
/**
 * The whole.
 */
value: number, 
/**
 * Each piece.
 */
pieces: Array<PieceWorth>, 
/**
 * Each theme.
 */
terms: Array<TermRow>, } | { "type": "opening", 
/**
 * The request.
 */
id: number, 
/**
 * Code of the Encyclopaedia of Chess Openings.
 */
eco: string | null, 
/**
 * The name.
 */
name: string | null, } | { "type": "endgame", 
/**
 * The request.
 */
id: number, 
/**
 * All legal moves, best first; none if the tables do not know them all.
 */
moves: Array<TableRow>, } | { "type": "progress", 
/**
 * The request.
 */
id: number, 
/**
 * So many.
 */
done: number, 
/**
 * Of so many.
 */
total: number, } | { "type": "report", 
/**
 * The request.
 */
id: number, 
/**
 * The game.
 */
game: GameAnalysis, } | { "type": "refused", 
/**
 * The request, if it has a number.
 */
id: number | null, 
/**
 * Why.
 */
reason: string, };

export type Lines = { 
/**
 * The request.
 */
id: number, 
/**
 * Iterations.
 */
depth: number, 
/**
 * Nodes so far.
 */
nodes: number, 
/**
 * Nodes per second.
 */
nps: number, 
/**
 * Threads that search.
 */
threads: number, 
/**
 * Best first.
 */
lines: Array<Line>, };

export type Line = { 
/**
 * Iterations.
 */
depth: number, 
/**
 * What it is worth.
 */
score: PublicScore, 
/**
 * Chances of White to win, draw and lose in thousandths.
 */
wdl: [number, number, number], 
/**
 * The moves.
 */
moves: Array<string>, };

export type PublicScore = { "cp": number } | { "mate": number };

export type PieceWorth = { 
/**
 * Where it stands.
 */
square: string, 
/**
 * Centipawns.
 */
worth: number, };

export type TermRow = { 
/**
 * The theme.
 */
name: string, 
/**
 * Centipawns.
 */
value: number, };

export type TableRow = { 
/**
 * The move.
 */
move: string, 
/**
 * What it leads to, for who makes it.
 */
outcome: Outcome, 
/**
 * Plies to the next capture or pawn move, this one counted; none for draws, and where tables tell
 * outcomes only.
 */
plies: number | null, };

export type Outcome = "loss" | "blessed_loss" | "draw" | "cursed_win" | "win";

export type OptionRow = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it does.
 */
help: string, } & ({ "kind": "check", 
/**
 * At the start.
 */
default: boolean, } | { "kind": "spin", 
/**
 * At the start.
 */
default: number, 
/**
 * The least.
 */
min: number, 
/**
 * The most.
 */
max: number, } | { "kind": "button" });

export type GameAnalysis = { 
/**
 * Number of the game in its file, from 1.
 */
game: number, 
/**
 * The tags of the game.
 */
tags: { [key in string]: string }, 
/**
 * `1-0`, `0-1`, `1/2-1/2` or `*`.
 */
result: string, 
/**
 * The opening, if it has a name.
 */
opening: Opening | null, 
/**
 * What was searched for each position, in words.
 */
budget: string, 
/**
 * How White played.
 */
white: SideSummary, 
/**
 * How Black played.
 */
black: SideSummary, 
/**
 * The moves.
 */
moves: Array<MoveAnalysis>, 
/**
 * What is wrong with the game as a text, if something is.
 */
error: string | null, };

export type MoveAnalysis = { 
/**
 * Number of the half-move, from 1.
 */
ply: number, 
/**
 * Number of the move.
 */
number: number, 
/**
 * Who moved.
 */
color: 'white' | 'black', 
/**
 * The move in standard notation.
 */
san: string, 
/**
 * The move as coordinates.
 */
uci: string, 
/**
 * The position before the move.
 */
fen: string, 
/**
 * Part of the game.
 */
phase: Phase, 
/**
 * The score of the best move as White sees it.
 */
best_eval: PublicScore, 
/**
 * The score after the move as White sees it; `mate` 0 means that the mover gave mate.
 */
eval: PublicScore, 
/**
 * Iterations of the search after the move.
 */
depth: number, 
/**
 * The best move in standard notation.
 */
best: string | null, 
/**
 * The line that begins with the best move.
 */
best_line: Array<string>, 
/**
 * What the engine expects after the move played.
 */
reply_line: Array<string>, 
/**
 * The mover's win percentage before the move.
 */
win_before: number, 
/**
 * The mover's win percentage after it.
 */
win_after: number, 
/**
 * Accuracy of the move in per cent.
 */
accuracy: number, 
/**
 * Centipawns lost, with scores cut at ten pawns.
 */
loss_cp: number, 
/**
 * How bad the move was, if it was.
 */
judgement: Judgement | null, 
/**
 * What is special about a good move.
 */
mark: Mark | null, 
/**
 * Seconds left on the mover's clock, if the game tells.
 */
clock: number | null, 
/**
 * What there is to say, in sentences.
 */
remarks: Array<string>, 
/**
 * What the sentences about a mistake are made of.
 */
facts: { claim: string, motif: string | null, text: string, played: string[], best: string[] }[], };

export type SideSummary = { 
/**
 * The player.
 */
name: string, 
/**
 * Moves analysed.
 */
moves: number, 
/**
 * Accuracy of the game in per cent; `null` without moves.
 */
accuracy: number | null, 
/**
 * Mean loss in centipawns.
 */
average_loss_cp: number | null, 
/**
 * Moves that cost a little.
 */
inaccuracies: number, 
/**
 * Moves that cost much.
 */
mistakes: number, 
/**
 * Moves that cost most.
 */
blunders: number, 
/**
 * Only moves found.
 */
only_moves: number, 
/**
 * Sound sacrifices, and quiet only moves that are hard to see.
 */
brilliancies: number, 
/**
 * The parts of the game in which the side moved.
 */
phases: Array<PhaseSummary>, };

export type PhaseSummary = { 
/**
 * The part.
 */
phase: Phase, 
/**
 * Moves.
 */
moves: number, 
/**
 * Mean accuracy of these moves.
 */
accuracy: number, 
/**
 * Mean loss in centipawns.
 */
average_loss_cp: number, };

export type Phase = "opening" | "middlegame" | "endgame";

export type Opening = { 
/**
 * Code of the Encyclopaedia of Chess Openings; empty if unknown.
 */
eco: string, 
/**
 * The name.
 */
name: string, };

export type Judgement = "inaccuracy" | "mistake" | "blunder";

export type Mark = "only" | "brilliant";
