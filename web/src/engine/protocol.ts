// What page and engine say to each other, see docs/WEB.md: names for the messages that are made from
// the engine's own types. Scores and chances are from White's view. Castling is king takes own rook.

import type { Lines as LineList, Reply as AnyReply } from '../../../npm/src/messages';

export type { GameAnalysis as ReportedGame, Limit, Line, MoveAnalysis as MoveReport, OptionRow, Outcome, Position as PositionMessage, PublicScore as Score, Reply, Request, SideSummary } from '../../../npm/src/messages';

type Named<Type extends AnyReply['type']> = Extract<AnyReply, { type: Type }>;

export type Hello = Named<'hello'>;
export type Lines = { type: 'lines' } & LineList;
export type Best = Named<'best'>;
export type Inspection = Named<'inspection'>;
export type OpeningName = Named<'opening'>;
export type Endgame = Named<'endgame'>;
export type Progress = Named<'progress'>;
export type Report = Named<'report'>;
export type Refused = Named<'refused'>;
