import { showing } from "../answer.ts";
import type { ReadHandler } from "../partner-api.ts";
import { monthAnswer, monthsAnswer } from "./statement-pages.ts";

export const listStatements: ReadHandler = (deps, { grant, query, url }) =>
  monthsAnswer(deps, grant.account_id, query, url);

export const getStatement: ReadHandler = async (deps, { grant, params, query, url }) => {
  const { month = "" } = params;
  const { answer, patient_keys } = await monthAnswer(deps, grant.account_id, month, query, url);
  return showing(answer, { patients: [], patient_keys, subject: month });
};
