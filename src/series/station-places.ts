/** Where stations are: by the headers of their files, else from the file `stations_file`. Pure. */

/** The place of a station. The code has 4 or 9 characters, in upper case. */
export interface StationPlace {
  readonly code: string
  /** Degrees, from -90 to 90. */
  readonly latitude: number
  /** Degrees, from -180 to 180. */
  readonly longitude: number
  /** A text for people, as somebody wrote it. */
  readonly name?: string | undefined
}

/** The place of a station by the header of a file. */
export type StationPosition = Omit<StationPlace, 'name'>

/**
 * The places of all stations. A code of 4 characters stands for the codes of 9 characters that
 * begin with it, and for itself stands the only code of 9 characters that begins with it.
 */
export class StationPlaces {
  readonly #places: readonly StationPlace[]
  readonly #positions: ReadonlyMap<string, StationPosition>
  readonly #byCode = new Map<string, StationPlace>()
  /** Codes of 9 characters by their first 4; `undefined` if there are several. */
  readonly #bySite = new Map<string, StationPlace | undefined>()

  /**
   * @param places the lines of the file
   * @param positions those of headers, by the code that lists show
   */
  constructor(places: readonly StationPlace[], positions: readonly StationPosition[] = []) {
    this.#places = places
    this.#positions = new Map(positions.map((each) => [each.code, each]))
    for (const place of places) {
      this.#byCode.set(place.code, place)
      const site = place.code.slice(0, 4)
      this.#bySite.set(site, this.#bySite.has(site) ? undefined : place)
    }
  }

  /** These places, with positions of headers. */
  with(positions: readonly StationPosition[]): StationPlaces {
    return new StationPlaces(this.#places, positions)
  }

  /** All of them; a station that both know is there twice. */
  get all(): readonly StationPlace[] {
    return [...this.#places, ...this.#positions.values()]
  }

  /**
   * The place of a station; `undefined` if it is not known. Its name is that of the file.
   * @param code in upper case
   */
  of(code: string): StationPlace | undefined {
    const place = this.#inFile(code)
    const position = this.#positions.get(code)
    return position === undefined ? place : { ...position, name: place?.name }
  }

  #inFile(code: string): StationPlace | undefined {
    const exact = this.#byCode.get(code)
    return (
      exact ?? (code.length === 4 ? this.#bySite.get(code) : this.#byCode.get(code.slice(0, 4)))
    )
  }
}

/** In degrees. West is greater than east if the box crosses the date line. */
export interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** True if a place lies in a box or on its edge. */
export function isInBox(
  { latitude, longitude }: { readonly latitude: number; readonly longitude: number },
  { west, south, east, north }: Box,
): boolean {
  if (latitude < south || latitude > north) return false
  return west <= east
    ? longitude >= west && longitude <= east
    : longitude >= west || longitude <= east
}
