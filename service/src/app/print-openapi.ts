// Prints openapi.json: the description of the api, made from its routes. It needs no database.
import { composeUnconnected } from './compose-unconnected.ts';

const app = await composeUnconnected();
// A pipe takes a while: to end before it has taken all would cut the text short.
process.stdout.write(`${JSON.stringify(app.swagger(), null, 2)}\n`, () => process.exit(0));
