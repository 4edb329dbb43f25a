/** The resources of the API, in the order of the reference. */
import type { FastifyInstance } from 'fastify'
import { addRescan } from './admin/rescan.ts'
import { addAlerts } from './alerts/collection.ts'
import type { ArchiveContext } from './archive/route.ts'
import { addArchive } from './archive/route.ts'
import { addAskedAvailability } from './availability/route.ts'
import { addChanges } from './changes/route.ts'
import { addData } from './downloads/route.ts'
import type { DownloadsContext } from './downloads/served-files.ts'
import { addEquipment } from './equipment/route.ts'
import { addAntennas, addReceivers } from './equipment/types.ts'
import { addProblems } from './file-problems/collection.ts'
import { addHeader } from './files/header.ts'
import { addRinexFile } from './files/list.ts'
import { addRecord } from './files/record.ts'
import { addMissing } from './missing/collection.ts'
import { addNetwork } from './network/route.ts'
import { addSchema } from './reference/route.ts'
import { addReport } from './report/route.ts'
import { addRoot } from './resources/root.ts'
import { addSearch } from './search/route.ts'
import { addSeries } from './series/collection.ts'
import type { NetworkContext } from './series/network-context.ts'
import { addStations } from './stations/collection.ts'
import { addAvailability, addLatency } from './stations/series-routes.ts'
import { addStation } from './stations/station.ts'
import { addStatus } from './status/route.ts'

type ResourceContext = NetworkContext & DownloadsContext & ArchiveContext

const resources: readonly ((app: FastifyInstance, context: ResourceContext) => void)[] = [
  addRoot,
  addRinexFile,
  addRecord,
  addHeader,
  addStations,
  addStation,
  addAvailability,
  addLatency,
  addEquipment,
  addReceivers,
  addAntennas,
  addAskedAvailability,
  addSeries,
  addMissing,
  addReport,
  addNetwork,
  addAlerts,
  addChanges,
  addArchive,
  addStatus,
  addProblems,
  addSearch,
  addRescan,
  addSchema,
  addData,
]

export function addResources(app: FastifyInstance, context: ResourceContext): void {
  for (const add of resources) add(app, context)
}
