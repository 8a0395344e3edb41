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
   chateau=chateaux dwarfs=dwarves scarfs=scarves hoofs=hooves wharfs=wharves octopuses=octopi cactuses=cacti
   bacterium=bacteria aquarium=aquaria stadium=stadia millennium=millennia curriculum=curricula symposium=symposia ovum=ova
   memorandum=memoranda erratum=errata spectrum=spectra stratum=strata genus=genera corpus=corpora appendix=appendices
   vortex=vortices helix=helices thesis=theses hypothesis=hypotheses analysis=analyses diagnosis=diagnoses synopsis=synopses
   syllabus=syllabi terminus=termini abacus=abaci hippopotamus=hippopotami bureau=bureaux gateau=gateaux`;

/** American words and their British spellings. Both form the plural with "s". */
const BRITISH = `color=colour flavor=flavour favor=favour armor=armour harbor=harbour honor=honour humor=humour labor=labour
   neighbor=neighbour rumor=rumour vapor=vapour odor=odour parlor=parlour savior=saviour behavior=behaviour tumor=tumour
   center=centre theater=theatre fiber=fibre liter=litre meter=metre caliber=calibre specter=spectre saber=sabre
   gray=grey mold=mould plow=plough tire=tyre curb=kerb mustache=moustache donut=doughnut airplane=aeroplane
   catalog=catalogue dialog=dialogue defense=defence license=licence offense=offence program=programme
   jewelry=jewellery aluminum=aluminium pajama=pyjama`;

type Pair = [string, string];
const pairsOf = (list: string): Pair[] => list.split(/\s+/).map((pair) => pair.split('=') as Pair);
const inBothNumbers = ([one, other]: Pair): Pair[] =>
  [one, `${one}s`].flatMap((from) => [other, `${other}s`].map((to): Pair => [from, to]));
const FORMS = [...pairsOf(IRREGULAR), ...pairsOf(BRITISH).flatMap(inBothNumbers)];

/** Other forms of a word. */
export const IRREGULAR_FORMS: ReadonlyMap<string, string[]> = new Map(
  [...Map.groupBy([...FORMS, ...FORMS.map(([one, other]): Pair => [other, one])], ([word]) => word)].map(([word, pairs]) => [
    word,
    pairs.map(([, form]) => form),
  ]),
);

/**
 * Porter's stemmer gives words of different lines in a group one stem, such as "news" and "new". Each part has the forms of
 * a word. Sources: the exceptions of Snowball's English stemmer; Krovetz, "Viewing morphology as an inference process", SIGIR
 * 1993.
 */
const UNLIKE = `news | new
   anime, animes | animal, animals | animation, animations, animated, animate, animating, animates
   university, universities | universe, universes | universal, universally, universals
   organ, organs | organic, organics, organically | organism, organisms
     | organization, organizations, organisation, organisations, organize, organizes, organized, organizing, organizer,
       organise, organised, organiser
   general, generals, generally, generality, generalize, generalized, generalization | generic, generics, generically
     | generation, generations, generational
     | generate, generates, generated, generating, generator, generators, generative | generous, generously
   past, pasts | paste, pastes, pasted
   marine, marines, mariners, mariner | marinate, marinated, marinating
   execution, executions, execute, executes, executed, executing, executable | executive, executives
   important, importance | import, imports, imported, importing, importer, importers
   community, communities | communism | communist, communists
     | communication, communications, communicate, communicates, communicated, communicating, communicator
     | commune, communes
   sky, skies | ski, skis, skiing, skied
   author, authors, authored, authoring
     | authorize, authorizes, authorized, authorizing, authorization, authorizations | authority, authorities
   several, severally | severe, severely, severity | sever, severs, severed, severing
   emergency, emergencies | emergence, emerging, emerge, emerges, emerged, emergent
   internal, internals, internally, internalize | international, internationals
     | intern, interns, interned, interning, internship, internships
   custom, customs, customized, customize, customization, customizing, customizations | customer, customers
   engine, engines, engined | engineer, engineers, engineering, engineered
   format, formats, formatted, formatting | formation, formations
   information, informational, informative | inform, informs, informed, informing, informer | informal, informally
   designate, designated, designation, designations, designating, designates
     | design, designs, designed, designer, designers, designing
   vacation, vacations, vacationing, vacationed | vacate, vacated, vacating
   fabric, fabrics, fabrice | fabricate, fabricated, fabrication, fabricating, fabrications
   ration, rations, rationing, rationed | rational, rationally, rationality, rationalize | rationale
   polite, politely | politics, political, politician, politicians, politically, politic
   major, majors, majoring, majored | majority, majorities
   minor, minors | minority, minorities
   position, positions, positioned, positioning, positional | positive, positives, positively
   ad, ads | add, adds, added, adding
   quit, quits, quitting, quitted | quite
   initial, initials, initially | initialize, initialized, initializing, initialization | initiative, initiatives
     | initiate, initiates, initiated, initiating, initiation, initiator
   experience, experiences
     | experiment, experiments, experimental, experimentally, experimenter, experimenters, experimenting, experimented,
       experimentation
   object, objects, objected, objecting | objective, objectives, objectively, objectivity | objection, objections
   conservative, conservatives, conservatively | conservation, conserve, conserved, conserving, conserves
   celebrity, celebrities | celebrate, celebrated, celebrating, celebration, celebrations, celebrates
   cooper, coopers
     | cooperate, cooperation, cooperative, cooperating, cooperated, cooperatives, cooperates, cooperatively
   convent, convents | convention, conventions | conventional
   conversation, conversations, conversational | conversion, conversions
     | converse, conversely, conversing, conversed, converses
   diverse, diversity | diversion, diversions
   integral, integrals, integrally | integrity
     | integrate, integrated, integrates, integration, integrating, integrations, integrator, integrators
   identity, identities | identical, identically
   mary, maris, marys | marie
   dominate, dominated, domination, dominant, dominating, dominates, dominance | dominic
   main, mains | maine
   installment, installments, instalment
     | install, installs, installed, installing, installation, installations, installer, installers
   detective, detectives | detect, detects, detected, detecting, detection, detectable, detections
   july | julie
   oriental, orientals | orient, oriented, orientation, orientations, orienting, oriente
   civil, civility, civilizing | civilization, civilizations, civilized
   season, seasons, seasonal, seasoned, seasonally | seasoning, seasonings
   admiral, admirals | admire, admires, admired, admirer, admiration, admiring, admirers, admirable
   mineral, minerals, mineralization, mineralized | miner, miners
   compete, competes, competing, competed | competent, competence, competently, competences, competency
   hospital, hospitals, hospitalized, hospitalization, hospitalizations | hospitality
   success, successes, successful | succession, successive, successively, successions
   venue, venues | venus
   provide, provides, provided, provider, providers, providing | providence
   iron, irons, ironing, ironed | ironic, ironically, ironical
   digit, digits, digitized, digitization, digitizing, digitizer, digitize | digital, digitally, digitalization
   protest, protests, protester, protesters, protesting, protested | protestant, protestants
   later, laters | lateral, laterally, laterals
   terminal, terminals, terminally
     | terminate, terminated, terminator, termination, terminating, terminates, terminations, terminators
   optimal, optimize, optimized, optimization, optimizing, optimally, optimizations, optimizer, optimizes, optimality
     | optimism
   numerous | numeral, numerals, numeric, numerical, numerically, numerator
   corporate, corporation, corporations, corporates | corporal, corporals
   empire, empires | empirical, empirically
   transit, transits, transiting | transition, transitions, transitioning, transitioned, transitional
   titan, titans | titanic
   indicate, indicates, indicated, indicator, indicators, indication, indicating, indications | indices, indic
   bing | binge, bingeing, binges, binged
   pastor, pastors, pastore | pastoral
   heroin | heroine, heroines
   marvel, marvels, marveled, marvelled, marveling | marvelous, marvellous, marvelously, marvellously
   amen | amenity, amenities
   matt | matte, mattes
   sunny | sunni
   eddy, eddies | eddie
   chilly | chilli, chillies
   liter, liters | literal, literally, literals | literate
   candid | candidate, candidates
   consul, consuls | consulate, consulates
   silicon | silicone, silicones
   maxim, maxims | maximal, maximize, maximized, maximally, maximizing, maximizes, maximization
   dye, dyes, dyed, dyeing | dying
   boon, boons | boone
   moor, moors | moore
   wolf, wolves, wolfs | wolfe
   coup, coups | coupe, coupes
   fort, forts | forte
   carbon, carbons, carbone, carbonized | carbonate, carbonated, carbonation, carbonates
   secret, secrets, secreted, secrete, secreting, secretes | secretion, secretions | secretive
   adam, adams | adamant
   ether, ethers | ethereal
   many | mani
   day, days | dai
   ray, rays, rayed | rai
   key, keys, keyed, keying | kei
   may, mays | mai
   low, lows | lowe
   angel, angels | angelic
   mason, masons | masonic
   rose, roses | rosy | rosie`;

/**
 * The forms of a word that has the stem of words with another meaning: it is found by these, not by its stem. In a
 * description the other words decide, and stems find more.
 */
export const UNLIKE_FORMS: ReadonlyMap<string, string[]> = new Map(
  UNLIKE.split(/\||\n {3}(?! )/)
    .map((forms) => forms.trim().split(/,\s+/))
    .flatMap((forms) => forms.map((form): [string, string[]] => [form, forms])),
);
