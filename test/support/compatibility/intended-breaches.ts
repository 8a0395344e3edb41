/** What a new major version takes away on purpose, as the test says it, and why. A minor version takes nothing away. */
export const INTENDED_BREACHES: Record<string, string> = {};

/** What a test takes for a breach, as it says it, and why nobody who relies on the former is hurt. */
export const HARMLESS_CHANGES: Record<string, string> = {
  'GET /api/content, parameter sort[]: pattern has changed':
    'It also has declared fields, such as `fields.players,desc`; all that the former pattern has is accepted as before.',
  'UgcServerErrors: sum by (namespace) (rate(ugc_http_request_duration_seconds_count{route=~"/content|/api/.*",status=~"5.."}[5m])) / sum by (namespace) (rate(ugc_http_request_duration_seconds_count{route=~"/content|/api/.*"}[5m])) > 0.05':
    'The kind that is left out did not exist in 1.0.0; the series of its processes have no label kind.',
};
