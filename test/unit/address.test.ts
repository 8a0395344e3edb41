import { expect, it } from '@jest/globals';
import { networkOf } from '@ugc/api/middleware/limit-failed-tokens';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['2001:db8:1:2:3:4:5::', '2001:db8:1:2'],
  ['no address', 'no address'],
])('addresses of one customer count as one: %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
