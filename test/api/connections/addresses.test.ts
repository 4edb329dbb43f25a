import t from '../../tap.ts'
import { Addresses } from '../../../src/api/connections/addresses.ts'

t.test('a connection counts for its peer, unless the peer is a trusted proxy', async (t) => {
  const addresses = new Addresses(['10.0.0.0/8', '2001:db8:1::/48'])
  const ofConnection = (peer: string) => addresses.ofConnection(peer)
  t.equal(ofConnection('192.0.2.1'), '192.0.2.1')
  t.equal(ofConnection('::ffff:192.0.2.1'), '192.0.2.1', 'an IPv4 address in IPv6 form')
  t.equal(ofConnection('2001:db8:0:2::1'), ofConnection('2001:db8::2:ffff:ffff:ffff:ffff'))
  t.not(ofConnection('2001:db8:0:2::1'), ofConnection('2001:db8:0:3::1'))
  for (const peer of ['10.1.2.3', '2001:db8:1::5'])
    t.equal(ofConnection(peer), undefined, `${peer} is not counted`)
  for (const peer of ['127.0.0.1', '::ffff:127.0.0.1', '127.0.0.9', '::1']) {
    t.ok(ofConnection(peer), `${peer} is counted`)
    t.ok(addresses.isLoopback(peer), peer)
  }
  for (const peer of ['10.1.2.3', '192.0.2.1', '2001:db8::1']) t.notOk(addresses.isLoopback(peer))
})

t.test('a request through a trusted proxy counts for the address of its client', async (t) => {
  const addresses = new Addresses(['10.0.0.0/8'])
  const cases = [
    ['192.0.2.1', '198.51.100.1', undefined, 'the header of an untrusted client is ignored'],
    ['10.0.0.1', '', undefined, 'a proxy that does not say'],
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '203.0.113.9, 198.51.100.1', '198.51.100.1', 'left of it anybody wrote'],
    ['10.0.0.1', '203.0.113.9, 198.51.100.1, 10.0.0.2', '198.51.100.1', 'through two proxies'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3', 'a client inside'],
    ['10.0.0.1', 'x, 10.0.0.2', '10.0.0.2', 'what is no address ends the search'],
    ['10.0.0.1', 'unknown', undefined],
    ['10.0.0.1', '198.51.100.1:4711', '198.51.100.1', 'with a port'],
    ['::ffff:10.0.0.1', '[2001:db8::1]:80', '2001:db8:0:0::/64'],
  ] as const
  for (const [peer, header, expected, name = header] of cases)
    t.equal(addresses.ofRequest(peer, header), expected, name)
})
