import type { Elasticsearch } from './elasticsearch.ts';

/** More than the days between the first item and the last, which facets count. */
const MIN_BUCKETS = 10_000;

type Rule = { setting: `search.${string}`; isWrong: (value: string) => boolean; problem: string };

/** Settings of the cluster with which searches fail. */
const RULES: Rule[] = [
  {
    setting: 'search.allow_expensive_queries',
    isWrong: (value) => value === 'false',
    problem: 'misspelt and incomplete words cannot be searched, so lists fail: set it to true',
  },
  {
    setting: 'search.max_buckets',
    isWrong: (value) => Number(value) < MIN_BUCKETS,
    problem: `facets fail: set it to ${MIN_BUCKETS} or more`,
  },
];

/** Those of the configuration files are among the defaults. */
const PRECEDENCE = ['transient', 'persistent', 'defaults'] as const;
type Settings = Partial<Record<(typeof PRECEDENCE)[number], { search?: Record<string, unknown> }>>;

/** @returns which settings of the cluster make searches fail; none if its user may not read them */
export async function readSettingProblems({ cluster }: Elasticsearch): Promise<string[]> {
  const request = { include_defaults: true, filter_path: RULES.map(({ setting }) => `*.${setting}`) };
  const settings: Settings = await cluster.getSettings(request).catch(() => ({}));
  return RULES.flatMap(({ setting, isWrong, problem }) => {
    const name = setting.replace('search.', '');
    const value = PRECEDENCE.map((of) => settings[of]?.search?.[name]).find((given) => typeof given === 'string');
    return value !== undefined && isWrong(value) ? [`the setting ${setting} of Elasticsearch is ${value}, so that ${problem}`] : [];
  });
}
