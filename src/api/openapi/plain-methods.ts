/** Describes the methods that every resource has: `HEAD` where there is `GET`, and `OPTIONS`. */
import Type from 'typebox'
import { withHeaders } from './headers.ts'
import { json, list, object, schemaRef, text } from './openapi.ts'
import type { OperationObject, PathItem, ResponseObject } from './openapi.ts'

export const descriptionSchema = object('The description of a resource, from `OPTIONS`.', {
  name: text('Its name.'),
  description: text('Its description.'),
  renders: list('Media types of its responses.', Type.String()),
  parses: list('Media types of request bodies that it accepts.', Type.String()),
})

const shown = {
  name: 'Rinex File List',
  description: 'The RINEX files of the archive.',
  renders: ['application/json', 'text/html'],
  parses: ['application/json'],
}

/** Adds these methods to a path of the document. */
export function withPlainMethods(path: string, methods: PathItem): PathItem {
  const { get, post } = methods
  const known = get ?? post
  if (known === undefined) return methods
  const head = get === undefined ? {} : { head: headOf(get) }
  return { ...methods, ...head, options: optionsOf(known, path.startsWith('/api/')) }
}

function headOf(get: OperationObject): OperationObject {
  const { headers } = get.responses['200'] as ResponseObject
  return {
    ...inPathOf(get),
    operationId: `${get.operationId}Head`,
    summary: `${get.summary}: headers only`,
    description: 'Same as `GET`, with the same parameters and status, without the body.',
    responses: {
      '200': { description: 'The headers of `GET`.', ...(headers && { headers }) },
      '4XX': { $ref: '#/components/responses/Bodiless' },
      default: { $ref: '#/components/responses/Bodiless' },
    },
  }
}

function optionsOf(known: OperationObject, isDescribed: boolean): OperationObject {
  const headers = withHeaders('Allow')
  const described = {
    description: 'The description of the resource.',
    headers,
    content: json(schemaRef('Description'), shown),
  }
  return {
    ...inPathOf(known),
    operationId: `${known.operationId}Options`,
    summary: `${known.summary}: methods`,
    responses: isDescribed
      ? { '200': described, '4XX': { $ref: '#/components/responses/Other' } }
      : {
          '204': { description: 'The methods are in `Allow`. No body.', headers },
          '4XX': { $ref: '#/components/responses/Other' },
        },
  }
}

function inPathOf({ tags, parameters = [] }: OperationObject) {
  return { tags, parameters: parameters.filter(({ in: place }) => place === 'path') }
}
