// Which questions of the core are offered where, as its registry says.

import { QUESTIONS, type Question } from "./questions.ts";

export type Surface = Question["surfaces"][number];

type NameOf<Q extends Question, S extends Surface> = Q extends Question
  ? S extends Q["surfaces"][number]
    ? Q["name"]
    : never
  : never;

/** The names of the questions that are offered on a surface. */
export type NameOn<S extends Surface> = NameOf<Question, S>;

/** A question on a surface. */
export type QuestionOn<S extends Surface> = Extract<Question, { name: NameOn<S> }>;

/** The questions that are offered on a surface, in the registry's order. */
export function offeredOn<S extends Surface>(surface: S): QuestionOn<S>[] {
  return QUESTIONS.filter((question): question is QuestionOn<S> => (question.surfaces as readonly Surface[]).includes(surface));
}
