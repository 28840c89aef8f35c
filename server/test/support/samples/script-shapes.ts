/**
 * One prescription as three generations of systems write it: by hand, modeled on real senders and not on our writer.
 * All have the same content, as far as their version can express it.
 */
export const shapes = {
  "10.6": `<?xml version="1.0" encoding="utf-8"?>
<Message version="010" release="006" HighestVersionSupported="" xmlns="http://www.ncpdp.org/schema/SCRIPT"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.ncpdp.org/schema/SCRIPT s.xsd">
  <Header>
    <To Qualifier="P">9900025</To>
    <From Qualifier="D">7731190</From>
    <MessageID>QS-104</MessageID>
    <SentTime>2026-11-09T14:05:00</SentTime>
    <Security><Sender><SecondaryIdentification>pw</SecondaryIdentification></Sender><Receiver></Receiver></Security>
    <PrescriberOrderNumber>QS-ORD-9</PrescriberOrderNumber>
  </Header>
  <Body>
    <NewRx>
      <Pharmacy><Identification><NCPDPID>9900025</NCPDPID><NPI>NONE</NPI></Identification><StoreName>Larkspur</StoreName></Pharmacy>
      <Prescriber>
        <Identification><NPI>1245319599</NPI><DEANumber>bq2345672</DEANumber></Identification>
        <ClinicName>Quarry Street Clinic</ClinicName>
        <Name><LastName>Quill</LastName><FirstName>Ada</FirstName></Name>
        <Address><AddressLine1>12 Quarry St</AddressLine1><City>Reno</City><State >NV</State ><ZipCode>89501</ZipCode></Address>
        <CommunicationNumbers>
          <Communication><Number>775-555-0133x204</Number><Qualifier>TE</Qualifier></Communication>
          <Communication><Number>(775) 555-0134</Number><Qualifier>FX</Qualifier></Communication>
        </CommunicationNumbers>
      </Prescriber>
      <Patient >
        <Identification><FileID>F-77120</FileID><SocialSecurity>900000001</SocialSecurity></Identification>
        <Name><LastName>Haverford</LastName><FirstName>Lionel</FirstName></Name>
        <Gender>M</Gender>
        <DateOfBirth><Date>1950-12-01</Date></DateOfBirth>
        <Address><AddressLine1>77b Sage Ct</AddressLine1><City>Reno</City><State>nv</State><ZipCode>895121140</ZipCode></Address>
        <CommunicationNumbers>
          <Communication><Number>lionel@haverford.example</Number><Qualifier>EM</Qualifier></Communication>
          <Communication><Number>7755550177</Number><Qualifier>HP</Qualifier></Communication>
        </CommunicationNumbers>
      </Patient >
      <MedicationPrescribed>
        <DrugDescription>Zolpidem 5 mg tablet</DrugDescription>
        <DrugCoded>
          <ProductCode>70999-0801-30</ProductCode><ProductCodeQualifier>ND</ProductCodeQualifier>
          <Strength>5</Strength>
          <DrugDBCode>854873</DrugDBCode><DrugDBCodeQualifier>SCD</DrugDBCodeQualifier>
          <StrengthSourceCode>AB</StrengthSourceCode><StrengthCode>C28253</StrengthCode>
          <DEASchedule>C48677</DEASchedule>
        </DrugCoded>
        <Quantity><Value>30</Value><CodeListQualifier>38</CodeListQualifier><UnitSourceCode>AC</UnitSourceCode><PotencyUnitCode>C48542</PotencyUnitCode></Quantity>
        <DaysSupply>30</DaysSupply>
        <Directions>One tablet at bedtime</Directions>
        <Note/>
        <Refills><Qualifier>R</Qualifier><Value>1</Value></Refills>
        <Substitutions>1</Substitutions>
        <WrittenDate><Date>2026-11-09</Date></WrittenDate>
        <EffectiveDate><Date>2026-11-20</Date></EffectiveDate>
        <Diagnosis><ClinicalInformationQualifier>1</ClinicalInformationQualifier><Primary><Qualifier>ABF</Qualifier><Value>G4700</Value></Primary></Diagnosis>
        <DrugCoverageStatusCode>SI</DrugCoverageStatusCode>
      </MedicationPrescribed>
    </NewRx>
  </Body>
</Message>
<!-- Sent by an old system that likes to say goodbye -->
`,
  "2017071": `<Message DatatypesVersion="20170715" TransportVersion="20170715" TransactionDomain="SCRIPT" TransactionVersion="20170715" StructuresVersion="20170715" ECLVersion="20170715">
  <Header>
    <To Qualifier="P">9900025</To>
    <From Qualifier="D">7731190</From>
    <MessageID>QS-104</MessageID>
    <SentTime>2026-11-09T14:05:00.0000000Z</SentTime>
    <SenderSoftware><SenderSoftwareDeveloper>Quarry</SenderSoftwareDeveloper><SenderSoftwareProduct>Q</SenderSoftwareProduct><SenderSoftwareVersionRelease>9</SenderSoftwareVersionRelease></SenderSoftware>
    <PrescriberOrderNumber>QS-ORD-9</PrescriberOrderNumber>
    <DigitalSignature Version="1.1"><DigitalSignatureIndicator>true</DigitalSignatureIndicator></DigitalSignature>
  </Header>
  <Body>
    <NewRx>
      <Patient>
        <HumanPatient>
          <Identification><REMSPatientID>F-77120</REMSPatientID></Identification>
          <Name><LastName>Haverford</LastName><FirstName>Lionel</FirstName></Name>
          <Gender>M</Gender>
          <DateOfBirth><Date>1950-12-01</Date></DateOfBirth>
          <Address><AddressLine1>77b Sage Ct</AddressLine1><City>Reno</City><StateProvince>NV</StateProvince><PostalCode>895121140</PostalCode></Address>
          <CommunicationNumbers>
            <HomeTelephone><Number>7755550177</Number></HomeTelephone>
            <ElectronicMail>lionel@haverford.example</ElectronicMail>
          </CommunicationNumbers>
        </HumanPatient>
      </Patient>
      <Pharmacy><Identification><NCPDPID>9900025</NCPDPID><NPI>NONE</NPI></Identification><BusinessName>Larkspur</BusinessName></Pharmacy>
      <Prescriber>
        <NonVeterinarian>
          <Identification><DEANumber>BQ2345672</DEANumber><NPI>1245319599</NPI></Identification>
          <PracticeLocation><BusinessName>Quarry Street Clinic</BusinessName></PracticeLocation>
          <Name><LastName>Quill</LastName><FirstName>Ada</FirstName></Name>
          <Address><AddressLine1>12 Quarry St</AddressLine1><City>Reno</City><StateProvince>NV</StateProvince><PostalCode>89501</PostalCode></Address>
          <CommunicationNumbers>
            <PrimaryTelephone><Number>7755550133</Number><Extension>204</Extension></PrimaryTelephone>
            <Fax><Number>7755550134</Number></Fax>
          </CommunicationNumbers>
        </NonVeterinarian>
      </Prescriber>
      <MedicationPrescribed>
        <DrugDescription>Zolpidem 5 mg tablet</DrugDescription>
        <DrugCoded>
          <ProductCode><Code>70999-0801-30</Code><Qualifier>ND</Qualifier></ProductCode>
          <Strength><StrengthValue>5</StrengthValue><StrengthForm><Code>C42998</Code></StrengthForm><StrengthUnitOfMeasure><Code>C28253</Code></StrengthUnitOfMeasure></Strength>
          <DrugDBCode><Code>854873</Code><Qualifier>SCD</Qualifier></DrugDBCode>
          <DEASchedule><Code>C48677</Code></DEASchedule>
        </DrugCoded>
        <Quantity><Value>30</Value><CodeListQualifier>38</CodeListQualifier><QuantityUnitOfMeasure><Code>C48542</Code></QuantityUnitOfMeasure></Quantity>
        <DaysSupply>30</DaysSupply>
        <WrittenDate><DateTime>2026-11-09T22:30:00-08:00</DateTime></WrittenDate>
        <Substitutions>1</Substitutions>
        <NumberOfRefills>1</NumberOfRefills>
        <Diagnosis><ClinicalInformationQualifier>1</ClinicalInformationQualifier><Primary><Code>G4700</Code><Qualifier>ABF</Qualifier></Primary></Diagnosis>
        <Sig><SigText>One tablet at bedtime</SigText><CodeSystem><SNOMEDVersion>1</SNOMEDVersion></CodeSystem></Sig>
        <OtherMedicationDate><OtherMedicationDate><Date>2026-11-20</Date></OtherMedicationDate><OtherMedicationDateQualifier>EffectiveDate</OtherMedicationDateQualifier></OtherMedicationDate>
      </MedicationPrescribed>
    </NewRx>
  </Body>
</Message>`,
  "2023011": `<ns1:Message xmlns:ns1="http://www.ncpdp.org/schema/SCRIPT" version="2023011">
  <ns1:Header>
    <ns1:To><ns1:Pharmacy><ns1:Identification><ns1:NPI>1679524268</ns1:NPI><ns1:NCPDPID>9900025</ns1:NCPDPID></ns1:Identification></ns1:Pharmacy><ns1:Qualifier>P</ns1:Qualifier></ns1:To>
    <ns1:From><ns1:Identifier>7731190</ns1:Identifier><ns1:Qualifier>D</ns1:Qualifier></ns1:From>
    <ns1:MessageID>QS-104</ns1:MessageID>
    <ns1:SentTime>20261109140500</ns1:SentTime>
    <ns1:PrescriberOrderNumber>QS-ORD-9</ns1:PrescriberOrderNumber>
    <ns1:DigitalSignature Version="1.1"><ns1:DigestValue>eA==</ns1:DigestValue><ns1:SignatureValue>eA==</ns1:SignatureValue></ns1:DigitalSignature>
  </ns1:Header>
  <ns1:Body>
    <ns1:NewRx>
      <ns1:MedicationPrescribed>
        <ns1:Product>
          <ns1:DrugDescription>Zolpidem 5 mg tablet</ns1:DrugDescription>
          <ns1:DrugCoded>
            <ns1:NDC>70999-0801-30</ns1:NDC>
            <ns1:DrugDBCode Qualifier="SCD">854873</ns1:DrugDBCode>
            <ns1:Strength><ns1:StrengthValue>5</ns1:StrengthValue><ns1:StrengthUnitOfMeasure Code="C28253"/></ns1:Strength>
            <ns1:DEASchedule Code="C48677"/>
          </ns1:DrugCoded>
        </ns1:Product>
        <ns1:Quantity><ns1:Value>30</ns1:Value><ns1:QuantityUnitOfMeasure Code="C48542"/></ns1:Quantity>
        <ns1:DaysSupply>30</ns1:DaysSupply>
        <ns1:WrittenDate>2026-11-09</ns1:WrittenDate>
        <ns1:Substitutions><ns1:Substitutions>1</ns1:Substitutions></ns1:Substitutions>
        <ns1:NumberOfRefills>1</ns1:NumberOfRefills>
        <ns1:Diagnosis><ns1:Primary Code="G4700" Qualifier="ABF"/></ns1:Diagnosis>
        <ns1:Sig><ns1:SigText>One tablet at bedtime</ns1:SigText></ns1:Sig>
        <ns1:OtherMedicationDate><ns1:OtherMedicationDate><ns1:Date>2026-11-20</ns1:Date></ns1:OtherMedicationDate><ns1:OtherMedicationDateQualifier>EffectiveDate</ns1:OtherMedicationDateQualifier></ns1:OtherMedicationDate>
      </ns1:MedicationPrescribed>
      <ns1:Prescriber>
        <ns1:NonVeterinarian>
          <ns1:Identification><ns1:NPI>1245319599</ns1:NPI><ns1:DEANumber>BQ2345672</ns1:DEANumber></ns1:Identification>
          <ns1:PracticeLocation><ns1:BusinessName>Quarry Street Clinic</ns1:BusinessName></ns1:PracticeLocation>
          <ns1:Names><ns1:Name><ns1:LastName>Quill</ns1:LastName><ns1:FirstName>Ada</ns1:FirstName></ns1:Name></ns1:Names>
          <ns1:Address><ns1:AddressLine1>12 Quarry St</ns1:AddressLine1><ns1:City>Reno</ns1:City><ns1:StateProvince>NV</ns1:StateProvince><ns1:PostalCode>89501</ns1:PostalCode></ns1:Address>
          <ns1:CommunicationNumbers>
            <ns1:PrimaryTelephone><ns1:Number>17755550133</ns1:Number></ns1:PrimaryTelephone>
            <ns1:Fax><ns1:Number>7755550134</ns1:Number></ns1:Fax>
          </ns1:CommunicationNumbers>
        </ns1:NonVeterinarian>
      </ns1:Prescriber>
      <ns1:Pharmacy><ns1:Identification/></ns1:Pharmacy>
      <ns1:Patient>
        <ns1:HumanPatient>
          <ns1:Names><ns1:Name><ns1:LastName>Haverford</ns1:LastName><ns1:FirstName>Lionel</ns1:FirstName></ns1:Name></ns1:Names>
          <ns1:GenderAndSex><ns1:AdministrativeGender>M</ns1:AdministrativeGender></ns1:GenderAndSex>
          <ns1:DateOfBirth>19501201</ns1:DateOfBirth>
          <ns1:Identification><ns1:PatientID>F-77120</ns1:PatientID></ns1:Identification>
          <ns1:Address><ns1:AddressLine1>77b Sage Ct</ns1:AddressLine1><ns1:AddressLine2/><ns1:City>Reno</ns1:City><ns1:StateProvince>NV</ns1:StateProvince><ns1:PostalCode>89512-1140</ns1:PostalCode></ns1:Address>
          <ns1:CommunicationNumbers>
            <ns1:PrimaryTelephone>7755550177</ns1:PrimaryTelephone>
            <ns1:ElectronicMail>lionel@haverford.example</ns1:ElectronicMail>
          </ns1:CommunicationNumbers>
        </ns1:HumanPatient>
      </ns1:Patient>
    </ns1:NewRx>
  </ns1:Body>
</ns1:Message>`,
} as const;
