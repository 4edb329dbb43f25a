import { isServer, serverName, urlFault } from '../../src/catalogue/database-url.ts'
import t from '../tap.ts'

t.test('a server is named by host, port and name', async (t) => {
  const cases: readonly [database: string, name: string][] = [
    ['postgresql://a/b', 'postgresql://a:5432/b'],
    ['postgres://a:1/b', 'postgresql://a:1/b'],
    ['Postgresql://u@a/b?c=d', 'postgresql://a:5432/b'],
    ['postgresql:///b', 'postgresql://localhost:5432/b'],
    ['postgresql://u@/b', 'postgresql://localhost:5432/b'],
    ['postgresql://[::1]/b', 'postgresql://[::1]:5432/b'],
    ['postgresql://u@a/b?host=/run/x&port=1', 'postgresql:///run/x:1/b'],
    ['postgresql://a/b?host=%0A', 'postgresql://%0A:5432/b'],
    ['postgresql://a/b%20c', 'postgresql://a:5432/b%20c'],
    ['postgresql://u@localhost/b?host=/x&options=-c%20search_path%3Du', 'postgresql:///x:5432/b'],
  ]
  for (const [database, name] of cases) {
    t.ok(isServer(database), database)
    t.equal(serverName(database), name)
    t.equal(urlFault(database), undefined)
  }
})

t.test('a URL that cannot be read has a name without any part of it', async (t) => {
  for (const database of ['postgresql://a:x/b', 'postgresql://u:1/2@a/b', 'postgresql://a/b#c'])
    t.equal(serverName(database), 'postgresql://?:?/?', database)
})

t.test('a path is its own name', async (t) => {
  for (const path of ['/a/b.db', 'a', 'postgresql', 'http:/a', '/postgres:/a', '']) {
    t.notOk(isServer(path), path)
    t.equal(serverName(path), path)
    t.equal(urlFault(path), undefined, path)
  }
})
