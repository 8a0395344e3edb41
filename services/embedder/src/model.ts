import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

type Encoding = { ids: number[] };
type Tokenizer = { encode(text: string): Encoding };
type Tensor = { data: Float32Array; dims: number[] };
type RunningModel = { run(feeds: Record<string, unknown>): Promise<Record<string, Tensor>> };
type Runtime = {
  InferenceSession: { create(path: string, options: object): Promise<RunningModel> };
  Tensor: new (type: 'int64', data: BigInt64Array, dims: number[]) => unknown;
};
type Tokenizers = { Tokenizer: new (tokenizer: unknown, config: unknown) => Tokenizer };

/** The model was trained on texts of this length; longer ones are cut. */
const MAX_TOKENS = 256;

export type Model = { embed(text: string): Promise<Float32Array> };

/** @param runtime the folder with `node_modules` · @param folder that with the model */
export async function loadModel(runtime: string, folder: string): Promise<Model> {
  const require = createRequire(join(runtime, 'package.json'));
  // Otherwise the runtime stores an id of the machine and sends usage data to its vendor.
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  const { InferenceSession, Tensor } = require('onnxruntime-node') as Runtime;
  const { Tokenizer } = require('@huggingface/tokenizers') as Tokenizers;
  const file = (name: string): string => join(folder, `all-minilm-l6-v2-q${name}`);
  const tokenizer = new Tokenizer(JSON.parse(readFileSync(file('-tokenizer.json'), 'utf8')), {});
  // Measured: two threads are slower on cores that others share.
  const session = await InferenceSession.create(file('.onnx'), { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const tensor = (values: number[]) => new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
  return {
    embed: async (text) => {
      const ids = shorten(tokenizer.encode(text).ids);
      const feeds = { input_ids: tensor(ids), attention_mask: tensor(ids.map(() => 1)), token_type_ids: tensor(ids.map(() => 0)) };
      const [output] = Object.values(await session.run(feeds));
      if (!output) throw new Error('the model has no output');
      return meanOf(output.data, ids.length);
    },
  };
}

/** The first and the last token mark the ends of a text. */
function shorten(ids: number[]): number[] {
  return ids.length <= MAX_TOKENS ? ids : [...ids.slice(0, MAX_TOKENS - 1), ...ids.slice(-1)];
}

/** @returns the mean of the vectors of the tokens, with the length 1 */
function meanOf(vectors: Float32Array, tokens: number): Float32Array {
  const dimensions = vectors.length / tokens;
  const sum = new Float32Array(dimensions);
  for (let n = 0; n < vectors.length; n += 1) sum[n % dimensions] = (sum[n % dimensions] ?? 0) + (vectors[n] ?? 0);
  const norm = Math.hypot(...sum);
  return sum.map((value) => value / norm);
}
