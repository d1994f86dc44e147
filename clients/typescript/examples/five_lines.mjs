// Pay for a call in five lines.
import { Client } from "tollbridge";

const client = new Client(process.env.BASE_URL, { key: process.env.API_KEY, budget: "1.00" });
const answer = await client.call("forecast", { values: [112, 118, 132, 129, 121, 135, 148, 148, 136, 119, 104, 118] });
console.log(answer.charged, answer.result.points[0].value);
console.log("record", (await client.verify(answer)).seq, "holds");
