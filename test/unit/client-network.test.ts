import { expect, it } from '@jest/globals';
import { clientNetwork } from '@ugc/api/middleware/limit-failed-tokens';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['2001:db8:1:2:3:4:5::', '2001:db8:1:2'],
  ['no address', 'no address'],
])('the rate limit counts the client network and not the address: %s belongs to %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
