import { loadModel } from './model.ts';
import { createEmbedder } from './server.ts';

/** The embedding service of `npx pnpm start --semantic`: all-MiniLM-L6-v2, which reads English, on one core. */
const { EMBEDDER_PORT = '8081', EMBEDDER_ADDRESS = '127.0.0.1', EMBEDDER_RUNTIME, EMBEDDER_MODEL } = process.env;
if (!EMBEDDER_RUNTIME || !EMBEDDER_MODEL)
  throw new Error('EMBEDDER_RUNTIME must name the folder of the runtime, and EMBEDDER_MODEL that of the model');

const server = createEmbedder(await loadModel(EMBEDDER_RUNTIME, EMBEDDER_MODEL), 'all-minilm-l6-v2');
server.listen(Number(EMBEDDER_PORT), EMBEDDER_ADDRESS);
const stop = (): void => {
  server.close();
  server.closeAllConnections();
};
process.once('SIGINT', stop).once('SIGTERM', stop);
