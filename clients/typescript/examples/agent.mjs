// Give an agent a task within a budget.
import { BudgetExceeded, Client, pounds } from "tollbridge";

const client = new Client(process.env.BASE_URL, { key: process.env.API_KEY, budget: "0.30" });
try {
  for (const task of ["Summarize in one sentence: The clock stopped. Nobody wound it.", "Summarize in one sentence: The bell rang. Everybody came."]) {
    const answer = await client.agent("summarization", task);
    await client.verify(answer);
    console.log(`£${pounds(answer.charged)}:`, answer.result.summary);
  }
} catch (error) {
  if (!(error instanceof BudgetExceeded)) throw error;
  console.log(error.message);
}
