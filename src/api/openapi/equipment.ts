/**
 * Schemas of where data come from, as headers say it (see rinex/facts.ts): what they do not say is
 * absent.
 */
import type { Antenna, Marker, Position, Receiver } from '../../rinex/facts.ts'
import * as schema from './schema.ts'

export const receiver: schema.Schema<Receiver> = schema.withExample(
  schema.object(
    'The receiver.',
    {},
    {
      type: schema.text('Its type, by the names of the IGS.'),
      serial: schema.text('Its serial number.'),
      version: schema.text('Its firmware.'),
    },
  ),
  { type: 'SEPT POLARX5', serial: '3047937', version: '5.5.0' },
)

export const antenna: schema.Schema<Antenna> = schema.withExample(
  schema.object(
    'The antenna.',
    {},
    {
      type: schema.text('Its type, by the names of the IGS.'),
      radome: schema.text('Its radome.'),
      serial: schema.text('Its serial number.'),
      delta: schema.object('Its place above the marker, in metres.', {
        h: schema.signed('Height.'),
        e: schema.signed('East.'),
        n: schema.signed('North.'),
      }),
    },
  ),
  { type: 'LEIAR25.R4', radome: 'LEIT', serial: '726295', delta: { h: 1.964, e: 0, n: 0 } },
)

export const marker: schema.Schema<Marker> = schema.withExample(
  schema.object(
    'The marker.',
    {},
    {
      name: schema.text('Its name.'),
      number: schema.text('Its number, mostly a DOMES number.'),
      type: schema.text('Its type; headers of version 2 have none.'),
    },
  ),
  { name: 'GRAZ', number: '11001M002', type: 'GEODETIC' },
)

export const position: schema.Schema<Position> = schema.object(
  'The approximate position, to 10 m: Earth-fixed in metres, and the same in degrees and metres above the ellipsoid of WGS 84.',
  {
    x: schema.signed('X.', 4_194_420),
    y: schema.signed('Y.', 1_162_700),
    z: schema.signed('Z.', 4_647_250),
    latitude: schema.signed('Latitude, north is positive.', 47.0671),
    longitude: schema.signed('Longitude, east is positive.', 15.4935),
    height: schema.signed('Height.', 540),
  },
)
