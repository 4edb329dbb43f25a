/** nginx, Apache and Caddy with the example configurations: the same checks behind each. */
import t from '../tap.ts'
import { longestMs } from './service.ts'
import { checkOlderPaths, checkPassing, checkService, startBehind } from './web-server-checks.ts'
import { apache, caddy, nginx } from './web-servers.ts'

t.setTimeout(longestMs)

for (const [name, server] of Object.entries({ nginx, apache, caddy }))
  t.test(`${name} passes requests on as they are, and sends downloads`, server, async (t) => {
    await checkPassing(t, server)
    await checkService(t, await startBehind(t, server))
  })

/** mod_rewrite would decode a target with a `%`, so such targets stay as they are. */
const encoded = {
  nginx: { '/data/obs_v3/%41%2F../x': '/data/obs/%41%2F../x' },
  apache: {
    '/data/obs_v3/%41': '/data/obs_v3/%41',
    '/data/nrt/022/05/%41': '/data/nrt/022/05/%41',
  },
}
for (const [name, server] of Object.entries({ nginx, apache }))
  t.test(`${name} rewrites older paths and no other paths`, server, (t) =>
    checkOlderPaths(t, server, encoded[name as keyof typeof encoded]),
  )
