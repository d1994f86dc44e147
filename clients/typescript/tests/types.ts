// What the compiler must find in calls; it runs nowhere.
import type { Answer, Client, ForecastResult } from "../dist/index.js";

export async function good(client: Client): Promise<string> {
  const answer: Answer<ForecastResult> = await client.call("forecast", { values: [1, 2.5], horizon: 3, method: "ets" });
  const points: number = answer.result.points[0]?.value ?? 0;
  await client.agent("data:aggregation", "add them", {});
  await client.agent("data-aggregation", `add ${points}`);
  return (await client.agent("summarization", "a text")).result.summary;
}

export async function wrong(client: Client): Promise<void> {
  // @ts-expect-error a name
  await client.call("forcast", { values: [1] });
  // @ts-expect-error a member
  await client.call("forecast", { value: [1] });
  // @ts-expect-error a type
  await client.call("forecast", { values: "1" });
  // @ts-expect-error a choice
  await client.call("forecast", { values: [1], method: "guess" });
  // @ts-expect-error a member of the result
  void (await client.call("forecast", { values: [1] })).result.pints;
  // @ts-expect-error an agent
  await client.agent("data:aggregations", "add them");
  // @ts-expect-error a member of an agent's input
  await client.agent("summarization", undefined, { texts: "a" });
}
