// Made from the types of crates/session and crates/lab; see crates/session/src/typescript.rs.

export type Request = { "type": "analyse", id: number, position: Position, lines: number, threat: boolean, limit?: Limit, } | { "type": "think", id: number, position: Position, limit: Limit, elo: number | null, } | { "type": "inspect", id: number, position: Position, } | { "type": "opening", id: number, position: Position, } | { "type": "report", id: number, position: Position, nodes: number, } | { "type": "cancel_report" } | { "type": "stop" } | { "type": "new_game" } | { "type": "option", name: string, value: string, };

export type Position = { fen: string, moves: Array<string>, chess960: boolean, };

export type Limit = { "kind": "time", ms: number, } | { "kind": "clock", white_ms: number, black_ms: number, increment_ms: number, } | { "kind": "depth", depth: number, } | { "kind": "nodes", nodes: number, };

export type Reply = { "type": "hello", version: string, evaluation: string, elo: [number, number] | null, options: Array<OptionRow>, } | { "type": "lines" } & Lines | { "type": "best", id: number, move: string | null, score: PublicScore, } | { "type": "inspection", id: number, value: number, pieces: Array<PieceWorth>, terms: Array<TermRow>, } | { "type": "opening", id: number, eco: string | null, name: string | null, } | { "type": "progress", id: number, done: number, total: number, } | { "type": "report", id: number, game: GameAnalysis, } | { "type": "refused", id: number | null, reason: string, };

export type Lines = { id: number, depth: number, nodes: number, nps: number, threads: number, lines: Array<Line>, };

export type Line = { depth: number, score: PublicScore, wdl: [number, number, number], moves: Array<string>, };

export type PublicScore = { "cp": number } | { "mate": number };

export type PieceWorth = { square: string, worth: number, };

export type TermRow = { name: string, value: number, };

export type OptionRow = { name: string, help: string, } & ({ "kind": "check", default: boolean, } | { "kind": "spin", default: number, min: number, max: number, } | { "kind": "button" });

export type GameAnalysis = { game: number, tags: { [key in string]: string }, result: string, opening: Opening | null, budget: string, white: SideSummary, black: SideSummary, moves: Array<MoveAnalysis>, error: string | null, };

export type MoveAnalysis = { ply: number, number: number, color: 'white' | 'black', san: string, uci: string, fen: string, phase: Phase, best_eval: PublicScore, eval: PublicScore, depth: number, best: string | null, best_line: Array<string>, reply_line: Array<string>, win_before: number, win_after: number, accuracy: number, loss_cp: number, judgement: Judgement | null, mark: Mark | null, clock: number | null, remarks: Array<string>, facts: { claim: string, motif: string | null, text: string, played: string[], best: string[] }[], };

export type SideSummary = { name: string, moves: number, accuracy: number | null, average_loss_cp: number | null, inaccuracies: number, mistakes: number, blunders: number, only_moves: number, brilliancies: number, phases: Array<PhaseSummary>, };

export type PhaseSummary = { phase: Phase, moves: number, accuracy: number, average_loss_cp: number, };

export type Phase = "opening" | "middlegame" | "endgame";

export type Opening = { eco: string, name: string, };

export type Judgement = "inaccuracy" | "mistake" | "blunder";

export type Mark = "only" | "brilliant";
