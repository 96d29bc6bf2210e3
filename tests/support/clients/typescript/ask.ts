// Asks a question by the generated client: ask URL QUESTION.
import { Configuration, DefaultApi } from './index';

declare const process: { argv: string[] };

async function main(url: string, question: string): Promise<void> {
  const api = new DefaultApi(new Configuration({ basePath: url, apiKey: () => 'any' }));
  const answer = await api.ask({ askRequest: { question, policy: { webSearch: false } }, idempotencyKey: 'one' });
  console.log(answer.status);
  console.log(answer.answer);
  console.log(answer.citations?.[0]?.document);
  console.log(answer.reflection?.support?.level);
}

main(process.argv[2] ?? '', process.argv[3] ?? '');
